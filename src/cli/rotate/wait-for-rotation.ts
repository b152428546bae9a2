import { TRUST_DOMAIN } from '../../api/names.ts';
import type { TrustDomain } from '../../api/trust-domain.ts';
import { startInformer } from '../../kubernetes/informer.ts';
import { refOf } from '../../kubernetes/resource.ts';
import type { CommandWorld, Hub } from '../command-world.ts';
import { CommandFailure } from '../exit-code.ts';
import { isTrue } from '../hub/conditions.ts';
import { type Progress, progressOf } from '../progress.ts';
import { share } from '../table.ts';

export interface RotationAwaited {
  readonly hub: Hub;
  readonly domain: TrustDomain;
  /** Digest of the root when a new one was asked for. */
  readonly rootBefore: string | undefined;
  readonly timeoutMs: number;
}

export interface RotationEnd {
  readonly settled: boolean;
  readonly domain: TrustDomain;
  readonly tookMs: number;
}

/** Waits until another root is the current one and everything is on it, and says how far that is. */
export async function waitForRotation(
  { hub, domain, rootBefore, timeoutMs }: RotationAwaited,
  { terminal, clock, signal }: CommandWorld,
): Promise<RotationEnd> {
  const ending = new AbortController();
  const within = AbortSignal.any([signal, ending.signal]);
  const { namespace = '', name } = refOf(domain);
  const screen = terminal.errorScreen();
  const beganMs = clock.monotonicMs();
  const stageOf = stagesOf(rootBefore, progressOf(clock));
  let latest = domain;
  const { store, ended } = startInformer<TrustDomain>({
    client: hub.client,
    resource: TRUST_DOMAIN,
    selection: { namespace, fieldSelector: `metadata.name=${name}` },
    clock,
    signal: within,
  });
  let said = '';
  try {
    return await new Promise<RotationEnd>((resolve, reject) => {
      const end = (settled: boolean): void =>
        resolve({ settled, domain: latest, tookMs: clock.monotonicMs() - beganMs });
      const timer = clock.setTimer(timeoutMs, () => end(false));
      within.addEventListener('abort', () => timer.cancel(), { once: true });
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      store.subscribe(({ kind, object }) => {
        if (object.metadata.name !== name) return;
        if (kind === 'removed') {
          reject(new CommandFailure(`TrustDomain ${name} was deleted while it was waited for`));
          return;
        }
        latest = object;
        const line = stageOf(object);
        if (screen.isTerminal) screen.table([line]);
        else if (line !== said) screen.line(line);
        said = line;
        if (isSettledOnAnother(object, rootBefore)) end(true);
      });
    });
  } finally {
    screen.end();
    ending.abort();
    await ended;
  }
}

function isSettledOnAnother({ status }: TrustDomain, rootBefore: string | undefined): boolean {
  const root = status?.root?.digest;
  return root !== undefined && root !== rootBefore && isTrue(status?.conditions, 'Ready');
}

/** How far the rotation is, by the first thing that is not done. */
function stagesOf(rootBefore: string | undefined, progress: Progress): (domain: TrustDomain) => string {
  // A runtime that is being written to right now counts for nothing; who has had it once is not told as lost.
  const most = { root: '', bundle: 0, current: 0 };
  return ({ status = {} }) => {
    const { root, runtimes, conditions } = status;
    if (root === undefined || root.digest === rootBefore) return 'Waiting for the new root';
    if (most.root !== root.digest) Object.assign(most, { root: root.digest, bundle: 0, current: 0 });
    const { total = 0, bundle = 0, current = 0 } = runtimes ?? {};
    most.bundle = Math.max(most.bundle, bundle);
    most.current = Math.max(most.current, current);
    if (most.current < total) {
      const both = `${share(most.bundle, total)} have the bundle, ${share(most.current, total)} their certificate`;
      return `Runtimes: ${both}${progress('current', most.current, total)}`;
    }
    if (!isTrue(conditions, 'ServerCurrent')) return 'Every runtime has its certificate; the server follows';
    if (!isTrue(conditions, 'OldRootsRetired')) return 'The server is on the new root; older roots leave';
    return 'Everything is on the new root; the last proofs follow';
  };
}
