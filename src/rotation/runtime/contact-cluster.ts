import type { Reason } from '../../api/reasons.ts';
import type { TrustDomainSpec } from '../../api/trust-domain.ts';
import type { Clock } from '../../controller/clock.ts';
import type { Member } from '../../fleet/member.ts';
import type { WarmClient, WarmClients } from '../../fleet/warm-clients.ts';
import { isDenied } from '../../kubernetes/errors.ts';
import { KubeconfigError } from '../../kubernetes/kubeconfig.ts';
import { type ClusterReading, readCluster } from './observe-runtime.ts';

export interface Contact {
  readonly warm: WarmClient | undefined;
  readonly cluster: ClusterReading;
}

/** Reads the runtime's cluster. Whatever keeps it from answering is a state of this runtime, and of no other (L2). */
export async function contactCluster(
  clients: WarmClients,
  member: Member,
  runtimes: TrustDomainSpec['runtimes'],
  clock: Clock,
  fresh: boolean,
  signal: AbortSignal,
): Promise<Contact> {
  const { access, name } = member;
  if (access.state !== 'found') {
    clients.drop(name);
    return unreachable(access.state === 'missing' ? 'KubeconfigMissing' : 'KubeconfigAmbiguous', '');
  }
  let warm: WarmClient;
  try {
    warm = clients.use(name, access.version, access.kubeconfig);
  } catch (error) {
    if (error instanceof KubeconfigError) return unreachable('KubeconfigUnusable', error.message);
    throw error;
  }
  try {
    return { warm, cluster: await readCluster(warm, runtimes, clock, fresh, { signal }) };
  } catch (error) {
    if (signal.aborted) throw error;
    // A client that was refused does not get better by itself; the next visit makes a new one (B45).
    if (isDenied(error)) clients.drop(name);
    return unreachable('RuntimeUnreachable', error instanceof Error ? error.message : String(error));
  }
}

function unreachable(reason: Reason, message: string): Contact {
  return { warm: undefined, cluster: { state: 'unreachable', reason, message } };
}
