import { durationMs } from '../../api/duration.ts';
import { GATEWAY } from '../../api/names.ts';
import { explain } from '../../api/reasons.ts';
import type { TrustDomain } from '../../api/trust-domain.ts';
import type { Entry } from '../../checker/history.ts';
import { fleetSources, membersOf } from '../../fleet/members.ts';
import type { WarmClients } from '../../fleet/warm-clients.ts';
import type { CallOptions } from '../../kubernetes/answer.ts';
import type { KubeClient } from '../../kubernetes/client.ts';
import { KubeconfigError } from '../../kubernetes/kubeconfig.ts';
import { type KubeObject, SECRET, type SecretObject } from '../../kubernetes/resource.ts';
import { readGateway } from '../../rotation/gateway/gateway-resource.ts';
import { CommandFailure } from '../exit-code.ts';

/** A runtime to be looked at, or why that cannot be. */
export type RuntimeParty =
  | { readonly name: string; readonly client: KubeClient }
  | { readonly name: string; readonly client: null; readonly why: string };

/** Everybody whose certificates and bundles are judged. */
export interface Parties {
  readonly hub: KubeClient;
  readonly domain: TrustDomain;
  readonly runtimes: readonly RuntimeParty[];
  readonly settings: Entry;
}

/** Finds the runtimes as the hub names them, and opens their clusters with the kubeconfigs that stand there. */
export async function findParties(
  hub: KubeClient,
  domain: TrustDomain,
  wanted: readonly string[],
  clients: WarmClients,
  call: CallOptions,
): Promise<Parties> {
  const { runtimes: fleet, gatewayRef, gatewaySecretRef } = domain.spec;
  const sources = fleetSources(fleet);
  const [objects, kubeconfigs, gateway] = await Promise.all([
    hub.list<KubeObject>(sources.members.resource, sources.members.selection, call),
    sources.kubeconfigs === undefined ? { items: [] } : hub.list<SecretObject>(SECRET, sources.kubeconfigs, call),
    hub.find<KubeObject>(GATEWAY, gatewayRef, call),
  ]);
  const members = membersOf(fleet, objects.items, kubeconfigs.items);
  const strangers = wanted.filter((name) => !members.has(name));
  if (strangers.length > 0) {
    throw new CommandFailure(
      `No runtime ${strangers.join(', ')} belongs to the fleet: keyturn status --all names them`,
    );
  }
  const chosen = [...members.values()].filter(({ name }) => wanted.length === 0 || wanted.includes(name));
  const runtimes = chosen.map(({ name, access }): RuntimeParty => {
    if (access.state !== 'found') {
      return {
        name,
        client: null,
        why: explain(access.state === 'missing' ? 'KubeconfigMissing' : 'KubeconfigAmbiguous'),
      };
    }
    try {
      return { name, client: clients.use(name, access.version, access.kubeconfig).client };
    } catch (error) {
      if (error instanceof KubeconfigError) return { name, client: null, why: error.message };
      throw error;
    }
  });
  const host = gateway === undefined ? undefined : readGateway(gateway, gatewaySecretRef.name)?.hosts[0];
  return { hub, domain, runtimes, settings: settingsOf(domain, host) };
}

/** What is seen from outside comes a little late; the delay is judged so much shorter. */
const lateMs = 2_000;

/**
 * How long a value may still be in use after it was replaced: as long as the policy says, since that is what the rotation
 * waits for. The gateway's endpoints cannot be seen from here, so they are taken to use what their Secret says.
 */
function settingsOf({ spec }: TrustDomain, host: string | undefined): Entry {
  const graceMs = Math.max(0, durationMs(spec.proof.propagationDelay) - lateMs);
  return {
    entry: 'settings',
    requestGraceMs: graceMs,
    webhookGraceMs: graceMs,
    gatewayGraceMs: 0,
    gatewayPresentsRoot: spec.serverCertificate.mode === 'root',
    ...(host === undefined ? {} : { gatewayHost: host.replace(/^\*/, 'any') }),
  };
}
