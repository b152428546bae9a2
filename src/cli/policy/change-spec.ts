import { TRUST_DOMAIN } from '../../api/names.ts';
import type { TrustDomain, TrustDomainSpecWritten } from '../../api/trust-domain.ts';
import type { CallOptions } from '../../kubernetes/answer.ts';
import type { KubeClient } from '../../kubernetes/client.ts';
import { isConflict } from '../../kubernetes/errors.ts';
import { refOf } from '../../kubernetes/resource.ts';
import { CommandFailure } from '../exit-code.ts';

/** Owner of the fields that a person sets by command; not the operator's, which never writes a spec. */
const FIELD_MANAGER = 'keyturn-command';
/** Each conflict means that somebody else has made progress; more than this is a fight. */
const attempts = 5;

/**
 * Changes fields of a spec and no others, on condition that nobody has changed it since it was read.
 *
 * @param change what to set; `null`: it is so already
 * @returns the trust domain as it stands, and whether it was written
 */
export async function changeSpec(
  client: KubeClient,
  domain: TrustDomain,
  change: (domain: TrustDomain) => TrustDomainSpecWritten | null,
  call: CallOptions,
): Promise<{ readonly domain: TrustDomain; readonly changed: boolean }> {
  const ref = refOf(domain);
  for (let current = domain, attempt = 1; ; attempt += 1) {
    const spec = change(current);
    if (spec === null) return { domain: current, changed: false };
    const { resourceVersion } = current.metadata;
    const patch = { metadata: { resourceVersion }, spec };
    try {
      const written = await client.mergePatch<TrustDomain>(TRUST_DOMAIN, ref, patch, {
        ...call,
        fieldManager: FIELD_MANAGER,
      });
      return { domain: written, changed: true };
    } catch (error) {
      if (!isConflict(error)) throw error;
      if (attempt === attempts) {
        throw new CommandFailure(`The TrustDomain "${ref.name}" keeps being changed by somebody else: try again`, {
          cause: error,
        });
      }
      current = await client.get<TrustDomain>(TRUST_DOMAIN, ref, call);
    }
  }
}
