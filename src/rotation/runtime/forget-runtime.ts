import { RUNTIME_TRUST } from '../../api/names.ts';
import type { RuntimeTrust } from '../../api/runtime-trust.ts';
import type { TrustDomainSpec } from '../../api/trust-domain.ts';
import { fleetSources, isLiveMember } from '../../fleet/members.ts';
import type { Issuer } from '../../issuers/issuer.ts';
import type { CallOptions } from '../../kubernetes/answer.ts';
import type { KubeClient } from '../../kubernetes/client.ts';

export interface Forgetting {
  readonly client: KubeClient;
  readonly issuer: Issuer;
  readonly runtimes: TrustDomainSpec['runtimes'];
  readonly runtime: string;
  /** The record as watched, if there is one. */
  readonly record: RuntimeTrust | undefined;
}

/**
 * Removes what was made for a runtime that is gone. It is gone only when a live read says so: a watch that is behind would
 * take the record of a working runtime, and with it the proof that it still needs its roots.
 *
 * @returns whether it is gone
 */
export async function forgetRuntime(
  { client, issuer, runtimes, runtime, record }: Forgetting,
  call: CallOptions,
): Promise<boolean> {
  if (await isLiveMember(client, runtimes, runtime, call)) return false;
  await issuer.remove(runtime, call.signal);
  const uid = record?.metadata.uid;
  if (uid !== undefined) {
    await client.delete(
      RUNTIME_TRUST,
      { namespace: fleetSources(runtimes).namespace, name: runtime },
      { ...call, uid },
    );
  }
  return true;
}
