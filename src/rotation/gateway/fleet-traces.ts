import { heldIn } from '../../api/held.ts';
import { SECRET_KEY } from '../../api/names.ts';
import type { RuntimeTrust } from '../../api/runtime-trust.ts';
import type { SecretObject } from '../../kubernetes/resource.ts';
import { type Bundle, parseBundle, union } from '../../pki/bundle.ts';
import { isSelfSigned, signerOf } from '../../pki/signed-by.ts';
import { dataOf } from '../observe/secret-data.ts';

/** What is left of a fleet when the gateway Secret is gone. */
export interface Traces {
  readonly any: boolean;
  readonly roots: Bundle;
}

/**
 * Tells a loss from a first start: somebody was served before if a client Secret or a record says so.
 *
 * @param runtimeBundles bundles last read from runtimes, as far as this process read any
 */
export function fleetTraces(
  records: readonly RuntimeTrust[],
  clientSecrets: readonly SecretObject[],
  runtimeBundles: readonly Bundle[],
): Traces {
  const served = records.some(({ status }) => {
    const { beyond, values } = heldIn(status);
    return beyond === 'lost' || values.some(({ client }) => client !== null);
  });
  const signers = clientSecrets.flatMap((secret) => {
    const beside = parseBundle(dataOf(secret, SECRET_KEY.bundle)).certificates;
    const leaf = parseBundle(dataOf(secret, SECRET_KEY.certificate)).certificates[0];
    const signer = leaf === undefined ? null : signerOf(leaf, beside);
    return signer !== null && isSelfSigned(signer) ? [signer] : [];
  });
  const roots = union(...runtimeBundles, signers);
  return { any: served || clientSecrets.length > 0, roots };
}
