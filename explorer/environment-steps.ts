/**
 * What may happen around the operator: readers move on, the issuer works, the root changes, and whatever goes wrong.
 *
 * @module
 */
import { LOST, type Root } from '../src/rotation/decide/values.ts';
import {
  applyGatewayWrite,
  applyRuntimeWrite,
  commitGateway,
  commitRuntime,
  renameVersion,
  replaceRuntime,
  type Step,
} from './operator-steps.ts';
import { type Fault, hubPair, type LateWrite, type RuntimeState, type Setting, type World } from './world.ts';

/** Steps that need no fault. */
export function environmentSteps(world: World, setting: Setting): Step[] {
  const steps: Step[] = [];
  if (world.rootIndex + 1 < setting.roots.length) {
    steps.push({ label: 'the root changes', next: { ...world, rootIndex: world.rootIndex + 1 } });
  }
  steps.push(...readerSteps(world), ...issuerSteps(world, setting), ...lateSteps(world));
  world.runtimes.forEach((runtime, index) => {
    if (runtime.kyma === 'present' && !runtime.reachable) {
      const next = replaceRuntime(world, index, { ...runtime, reachable: true });
      steps.push({ label: `runtime ${index} comes back`, next });
    }
  });
  return steps;
}

/** Endpoint, watchers and API servers use the next value. */
export function readerSteps(world: World): Step[] {
  const steps: Step[] = [];
  const last = world.versions.length - 1;
  if (world.bundleAt < last) {
    steps.push({
      label: 'the endpoint loads a bundle',
      next: trimVersions({ ...world, bundleAt: world.bundleAt + 1 }),
    });
  }
  if (world.serverAt < last) {
    const next = trimVersions({ ...world, serverAt: world.serverAt + 1 });
    steps.push({ label: 'the endpoint loads a server certificate', next });
  }
  world.runtimes.forEach((runtime, index) => {
    if (runtime.kyma !== 'present') return;
    if (runtime.log.length > 1) {
      const next = replaceRuntime(world, index, { ...runtime, log: runtime.log.slice(1) });
      steps.push({ label: `runtime ${index} mounts its Secret`, next });
    }
    if (runtime.webhook !== null && runtime.webhook.log.length > 1) {
      const log = runtime.webhook.log.slice(1);
      const webhook = { ...runtime.webhook, log, watched: runtime.webhook.watched || log.length === 1 };
      const next = replaceRuntime(world, index, { ...runtime, webhook });
      steps.push({ label: `runtime ${index}: API servers use a caBundle`, next });
    }
  });
  return steps;
}

/** The issuer signs with the root it finds, or with the one it had read when it began. */
export function issuerSteps(
  world: World,
  setting: Setting,
  signsFor: (runtime: number) => boolean = () => true,
): Step[] {
  return world.runtimes.flatMap((runtime, index) => {
    const issuing = runtime.certificate?.issuing ?? null;
    if (runtime.kyma !== 'present' || runtime.certificate === null || issuing === null || !signsFor(index)) return [];
    const roots = issuing === world.rootIndex ? [issuing] : [issuing, world.rootIndex];
    return roots.map((rootIndex) => ({
      label: `the issuer signs for runtime ${index} with ${setting.roots[rootIndex]?.digest}`,
      next: issued(world, setting, index, runtime, rootIndex),
    }));
  });
}

function issued(world: World, setting: Setting, index: number, runtime: RuntimeState, rootIndex: number): World {
  const pair = hubPair(`c${world.counter}`, setting.roots[rootIndex]?.keyId ?? '');
  const next = replaceRuntime(world, index, { ...runtime, certificate: { issuing: null, pair } });
  return { ...next, counter: world.counter + 1 };
}

function lateSteps(world: World): Step[] {
  return world.late.flatMap((write, at) => {
    const without = { ...world, late: world.late.filter((_, index) => index !== at) };
    const next = arrive(without, write);
    return next === null ? [] : [{ label: `a late write arrives at the ${write.to}`, next }];
  });
}

function arrive(world: World, write: LateWrite): World | null {
  if (write.to === 'runtime') return unwatched(applyRuntimeWrite(world, write.runtime, write.pending), write.runtime);
  return applyGatewayWrite(world, write.action);
}

/** Steps that use up one fault. */
export function faultSteps(world: World, setting: Setting): Step[] {
  return setting.faults.flatMap((fault) =>
    FAULTS[fault](world, setting).map((step) => ({ ...step, label: `${fault}: ${step.label}` })),
  );
}

const FAULTS: Readonly<Record<Fault, (world: World, setting: Setting) => Step[]>> = {
  'lost write': (world) => pendingWrites(world).map(({ label, dropped }) => ({ label, next: dropped })),
  'late write': (world) =>
    pendingWrites(world).map(({ label, dropped, write }) => ({
      label,
      next: { ...dropped, late: [...dropped.late, write] },
    })),
  'lost answer': (world) => pendingWrites(world).map(({ label, unanswered }) => ({ label, next: unanswered })),
  crash: (world) => (remembersNothing(world) ? [] : [{ label: 'the operator starts again', next: crash(world) }]),
  'statuses lost': (world) => [{ label: 'with all annotations', next: losesStatuses(world) }],
  unreachable: (world) =>
    eachPresent(world, (runtime) => (runtime.reachable ? { ...runtime, reachable: false } : null), 'goes away'),
  join: (world) =>
    world.runtimes.flatMap((runtime, index) =>
      runtime.kyma === 'absent'
        ? [{ label: `runtime ${index}`, next: replaceRuntime(world, index, { ...runtime, kyma: 'present' }) }]
        : [],
    ),
  delete: (world) =>
    eachPresent(
      world,
      (runtime) => ({
        ...runtime,
        kyma: 'deleted',
        record: null,
        fenced: [],
        pending: null,
        ahead: false,
        log: [],
        webhook: null,
        certificate: null,
      }),
      'is deleted',
    ),
  'own renewal': (world, setting) =>
    world.runtimes.flatMap((runtime, index) =>
      runtime.kyma === 'present' && runtime.certificate !== null && runtime.certificate.pair !== null
        ? [{ label: `for runtime ${index}`, next: issued(world, setting, index, runtime, world.rootIndex) }]
        : [],
    ),
  'stale read': (world) =>
    eachPresent(
      world,
      (runtime) =>
        runtime.stale === null && runtime.pending === null
          ? { ...runtime, stale: { secret: runtime.log.at(-1) ?? null } }
          : null,
      'will be read as it is now',
    ),
  taint: (world, setting) =>
    [...new Set([...world.secret.bundle, setting.roots[world.rootIndex] as Root].map(({ keyId }) => keyId))]
      .filter((key) => !world.tainted.includes(key))
      .map((key) => ({ label: key, next: { ...world, tainted: [...world.tainted, key].sort() } })),
  'slow gateway': (world) =>
    world.slow ? [] : [{ label: 'the endpoint may take longer than the delay', next: { ...world, slow: true } }],
};

interface PendingWrite {
  readonly label: string;
  /** Not made, not answered. */
  readonly dropped: World;
  /** Made, not answered. */
  readonly unanswered: World;
  readonly write: LateWrite;
}

function pendingWrites(world: World): PendingWrite[] {
  const writes: PendingWrite[] = [];
  const gateway = world.gatewayPending;
  if (gateway !== null) {
    writes.push({
      label: 'to the gateway Secret',
      dropped: { ...world, gatewayPending: null },
      // Unanswered: the process does not know it for its own, so it is found by the next read as anybody's.
      unanswered: { ...commitGateway(world), journal: world.journal },
      write: { to: 'gateway', action: gateway },
    });
  }
  world.runtimes.forEach((runtime, index) => {
    const { pending } = runtime;
    if (pending === null) return;
    const dropped = replaceRuntime(world, index, { ...runtime, pending: null });
    const committed = commitRuntime(world, index);
    writes.push({
      label: `${pending.action.do} of runtime ${index}`,
      dropped,
      unanswered: unwatched(committed, index) ?? committed,
      write: { to: 'runtime', runtime: index, pending },
    });
  });
  return writes;
}

/** The process did not see the answer, so it knows only what it reads next. */
function unwatched(world: World | null, index: number): World | null {
  const runtime = world?.runtimes[index];
  if (world === null || runtime === undefined || runtime.webhook === null || runtime.webhook.log.length === 1)
    return world;
  return replaceRuntime(world, index, { ...runtime, webhook: { ...runtime.webhook, watched: false } });
}

function remembersNothing(world: World): boolean {
  return world.journal === null && world.runtimes.every((runtime) => runtime.pending === null && !runtime.ahead);
}

function crash(world: World): World {
  const forgotten = {
    ...world,
    restarted: true,
    journal: null,
    probeKeys: [],
    gatewayPending: null,
    runtimes: world.runtimes.map((runtime) =>
      runtime.pending === null && runtime.stale === null && !runtime.ahead
        ? runtime
        : { ...runtime, pending: null, ahead: false, stale: null },
    ),
  };
  return forgotten.runtimes.reduce<World>((next, _, index) => unwatched(next, index) ?? next, forgotten);
}

function losesStatuses(world: World): World {
  const resourceVersion = `v${world.counter}`;
  const secret = { ...world.secret, resourceVersion, added: {}, closing: [] };
  const lost = renameVersion(world, resourceVersion, secret);
  return {
    ...lost,
    counter: world.counter + 1 + world.runtimes.length,
    status: { trusted: [], proof: null },
    runtimes: world.runtimes.map((runtime, index) =>
      runtime.record === null
        ? runtime
        : { ...runtime, record: { version: `v${world.counter + 1 + index}`, held: LOST } },
    ),
  };
}

function eachPresent(world: World, change: (runtime: RuntimeState) => RuntimeState | null, what: string): Step[] {
  return world.runtimes.flatMap((runtime, index) => {
    const next = runtime.kyma === 'present' ? change(runtime) : null;
    return next === null ? [] : [{ label: `runtime ${index} ${what}`, next: replaceRuntime(world, index, next) }];
  });
}

function trimVersions(world: World): World {
  const first = Math.min(world.bundleAt, world.serverAt);
  if (first === 0) return world;
  return {
    ...world,
    versions: world.versions.slice(first),
    bundleAt: world.bundleAt - first,
    serverAt: world.serverAt - first,
  };
}
