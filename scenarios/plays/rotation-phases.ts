import { systemClock } from '../../src/controller/clock.ts';
import { SECRET } from '../../src/kubernetes/resource.ts';
import { startClusterWatch } from '../../src/recorder/cluster-watch.ts';
import { pause } from '../../world/wait.ts';
import { awaitedEnd } from '../awaited.ts';
import { certificatesPath, gatewaySecretPath, istioSystem } from '../hub-objects.ts';
import type { LiveRun } from '../live-run.ts';
import { digestOf, isSignedBy, type Standing } from '../standing.ts';
import { until } from '../until.ts';

/** The phases of a rotation, in their order. */
export const rotationPhases = [
  'gateway unproven',
  're-issue',
  'bundles delivered',
  'switch pending',
  'switched',
  'closing',
] as const;
export type RotationPhase = (typeof rotationPhases)[number];

/** The phase was over before anything could be done in it; another rotation has another. */
export class PhaseMissed extends Error {
  override readonly name = 'PhaseMissed';
}

/**
 * Waits for a phase of the rotation that has just begun, and calls `act` within it.
 *
 * @throws {PhaseMissed} before anything was done
 */
export async function inPhase(phase: RotationPhase, run: LiveRun, act: () => Promise<void>): Promise<void> {
  const { signal } = run;
  if (phase === 'closing') {
    await whileClosing(run, act);
    return;
  }
  let over = false;
  const look = async (): Promise<string[]> => {
    const standing = await run.standing();
    const there = phase === 're-issue' ? await isIssuing(run) : isIn(phase, standing);
    over = !there && awaitedEnd(standing).length === 0;
    return there || over ? [] : [`the phase "${phase}"`];
  };
  await until(phase, look, { timeoutMs: 60_000, everyMs: 20, signal });
  if (over) throw new PhaseMissed(`The phase "${phase}" was over before it was seen`);
  // The last proof is due at the end of the propagation delay; this is well within it.
  if (phase === 'switch pending') await pause(run.policy.propagationDelayMs / 2, signal);
  await act();
}

/** Told from what stands, not from a status. */
function isIn(
  phase: Exclude<RotationPhase, 'closing' | 're-issue'>,
  { root, gateway, runtimes, endpoints }: Standing,
): boolean {
  if (root === undefined) return false;
  const digest = digestOf(root);
  const switched = isSignedBy(gateway.leaf, root);
  const delivered = [...runtimes.values()].filter(({ secret }) => secret.leaf !== undefined);
  const bundled = delivered.every(({ secret }) => secret.roots.includes(digest));
  switch (phase) {
    case 'gateway unproven':
      return gateway.roots.includes(digest) && [...endpoints.values()].some(({ roots }) => !roots.includes(digest));
    case 'bundles delivered':
    case 'switch pending':
      return bundled && !switched;
    case 'switched':
      return switched && gateway.roots.length > 1;
  }
}

async function isIssuing({ world, signal }: LiveRun): Promise<boolean> {
  const list = await world.hub.client.send('GET', certificatesPath, { signal });
  const certificates = (list['items'] ?? []) as readonly {
    readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
  }[];
  return certificates.some(({ status }) =>
    status?.conditions?.some(({ type, status: is }) => type === 'Issuing' && is === 'True'),
  );
}

/**
 * Between the mark and the retirement lies one live read, some milliseconds. So the operator is paused as soon as the mark
 * is seen, as a busy machine may pause it, and goes on afterwards.
 */
async function whileClosing(run: LiveRun, act: () => Promise<void>): Promise<void> {
  const { operator, hub, signal } = run;
  const ending = new AbortController();
  let marked = false;
  const watch = startClusterWatch({
    client: hub,
    resource: SECRET,
    selection: { namespace: istioSystem, fieldSelector: 'metadata.name=klm-istio-gateway' },
    onVersion: ({ metadata }) => {
      if (marked || !isMarked(metadata.annotations)) return;
      marked = true;
      operator.send('SIGSTOP');
    },
    onGap: () => undefined,
    clock: systemClock,
    signal: AbortSignal.any([signal, ending.signal]),
  });
  try {
    await until('a root is marked closing', async () => (marked ? [] : ['the mark']), {
      timeoutMs: 90_000,
      everyMs: 20,
      signal,
    });
    // What the operator had sent before it was paused arrives within this time.
    await pause(200, signal);
    const secret = await run.world.hub.client.find(gatewaySecretPath, signal);
    if (!isMarked(secret?.metadata?.annotations))
      throw new PhaseMissed('The root had left before the operator was paused');
    await act();
    await pause(500, signal);
  } finally {
    operator.send('SIGCONT');
    ending.abort();
    await watch.abandon();
  }
}

function isMarked(annotations: Readonly<Record<string, string>> | undefined): boolean {
  return (annotations?.['keyturn.kyma-project.io/closing'] ?? '') !== '';
}
