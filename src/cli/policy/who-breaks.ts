import { heldBy } from '../../rotation/decide/fleet.ts';
import { decideGateway } from '../../rotation/decide/gateway.ts';
import { possibleClientSigners } from '../../rotation/decide/holdings.ts';
import type { KeyId } from '../../rotation/decide/values.ts';
import type { HubObserved } from '../hub/observe-hub.ts';

/** Who is cut off by the revocation of a root, as things stand now. */
export interface RevocationEffect {
  /** They may be presenting a certificate of it: the gateway refuses them from the moment when the root leaves its bundle. */
  readonly presentIt: readonly string[];
  /** It is not known what they present. */
  readonly unknown: readonly string[];
  /** They may not trust the certificate that the server moves to at once. */
  readonly refuseServer: readonly string[];
  /** The server presents a certificate of it now. */
  readonly serverIsOfIt: boolean;
}

/** Plays the revocation through the operator's own decisions. */
export function whoBreaks({ gateway }: HubObserved, key: KeyId): RevocationEffect {
  const { fleet, policy, secret } = gateway;
  const presentIt: string[] = [];
  const unknown: string[] = [];
  for (const group of fleet.groups) {
    const signers = possibleClientSigners(heldBy(group));
    if (signers === null) unknown.push(...group.names);
    else if (signers.includes(key)) presentIt.push(...group.names);
  }
  const revoked = { ...gateway, policy: { ...policy, revoked: [...policy.revoked, key] } };
  const { switch: verdict } = decideGateway(revoked);
  const serverIsOfIt = typeof secret === 'object' && secret?.server?.signer === key;
  return {
    presentIt: presentIt.sort(),
    unknown: unknown.sort(),
    refuseServer: serverIsOfIt ? [...(verdict?.breaks ?? []), ...(verdict?.waitsFor ?? [])].sort() : [],
    serverIsOfIt,
  };
}
