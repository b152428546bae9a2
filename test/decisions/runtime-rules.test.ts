import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dropAbandoned, noteStanding, trim } from '../../src/rotation/decide/holdings.ts';
import {
  decideRuntime,
  type RuntimeAction,
  type RuntimeObserved,
  type RuntimePlan,
} from '../../src/rotation/decide/runtime.ts';
import type { GatewaySecret, KeyId, Root } from '../../src/rotation/decide/values.ts';
import { anyRuntime } from './arbitrary.ts';
import { fenceMs, marginMs, propagationDelayMs } from './build.ts';

const runs = { numRuns: 500 };
const must = (kept: boolean, what: string): void => {
  if (!kept) throw new Error(what);
};

/** Holds for every plan with this action. */
function every<D extends RuntimeAction['do']>(
  what: D,
  rule: (action: Extract<RuntimeAction, { readonly do: D }>, seen: RuntimeObserved) => void,
): void {
  fc.assert(
    fc.property(anyRuntime, (seen) => {
      const { action } = decideRuntime(seen);
      if (action?.do === what) rule(action as Extract<RuntimeAction, { readonly do: D }>, seen);
    }),
    runs,
  );
}

/** The pair in the hub, where the plan registers or writes it and the runtime does not have it. */
function newPairOf(seen: RuntimeObserved): RuntimeObserved['hub']['certificate']['pair'] {
  const { action } = decideRuntime(seen);
  const { pair } = seen.hub.certificate;
  const intent = action?.do === 'record' ? action.held.values.at(-1) : undefined;
  const registers = intent?.serial === seen.nextSerial && intent.client?.digest === pair?.digest;
  const writes = action?.do === 'writeSecret' && action.pair === 'hub';
  return pair?.digest !== standingOf(seen)?.client?.digest && (registers || writes) ? pair : null;
}

const gatewayOf = ({ hub }: RuntimeObserved): GatewaySecret => {
  if (hub.gateway === null) throw new Error('something is written without a gateway Secret');
  return hub.gateway;
};
const standingOf = ({ cluster }: RuntimeObserved) => (cluster.state === 'read' ? cluster.secret : null);
const digestsOf = (roots: readonly Root[]): string => roots.map(({ digest }) => digest).join();

test('every kind of action comes up in these situations, or the rules below would say nothing of it', () => {
  // One seed: another may miss a rare kind.
  const situations = fc.sample(anyRuntime, { numRuns: 1000, seed: 3 });
  const kinds = situations.map((seen) => decideRuntime(seen).action?.do ?? 'nothing');
  expect([...new Set(kinds)].sort()).toEqual(['nothing', 'record', 'register', 'writeCaBundle', 'writeSecret']);
  expect(situations.filter((seen) => newPairOf(seen) !== null).length).toBeGreaterThan(10);
});

test('the Secret is written only as it was registered, with the whole bundle of the gateway, on the version read', () => {
  every('writeSecret', ({ serial, bundle, baseVersion, pair }, seen) => {
    const intent = seen.held?.values.find((value) => value.serial === serial);
    must(intent?.state === 'intended', 'it is not registered');
    must(
      bundle.join() === intent?.bundle.join() && bundle.join() === digestsOf(gatewayOf(seen).bundle),
      'another bundle',
    );
    must(baseVersion === (standingOf(seen)?.resourceVersion ?? ''), 'another version');
    const sent = pair === 'hub' ? seen.hub.certificate.pair : standingOf(seen)?.client;
    must(sent !== null && sent?.digest === intent?.client?.digest, 'another pair');
  });
});

test('a new pair is registered or written only when its signer is proven, stays, and is valid with margin', () => {
  fc.assert(
    fc.property(anyRuntime, (seen) => {
      const pair = newPairOf(seen);
      if (pair === null) return;
      const gateway = gatewayOf(seen);
      must(pair.keyMatches, 'the key is not its own');
      must(
        pair.notBeforeMs + marginMs <= seen.nowMs && pair.notAfterMs - marginMs > seen.nowMs,
        'it is not valid for sure',
      );
      const signers = gateway.bundle.filter(
        ({ keyId, notAfterMs }) => keyId === pair.signer && notAfterMs - marginMs > seen.nowMs,
      );
      const proven = signers.some(({ digest }) =>
        seen.hub.trusted.some((root) => root.digest === digest && root.added === gateway.added[digest]),
      );
      must(proven, 'its signer is not proven');
      must(!signers.some(({ digest }) => gateway.closing.includes(digest)), 'its signer is about to leave');
    }),
    runs,
  );
});

test('a caBundle holds every root of the gateway, and is never empty', () => {
  every('writeCaBundle', ({ caBundle, baseVersion }, seen) => {
    must(caBundle.length > 0, 'empty');
    must(
      gatewayOf(seen).bundle.every((root) => caBundle.includes(root)),
      'a root is missing',
    );
    must(new Set(caBundle).size === caBundle.length, 'a root twice');
    must(seen.cluster.state === 'read' && seen.cluster.webhook?.resourceVersion === baseVersion, 'another version');
  });
});

test('where a webhook is, no Secret is written before the caBundle of the same delivery', () => {
  every('writeSecret', ({ serial }, { cluster }) => {
    must(cluster.state === 'read', 'unread');
    if (cluster.state === 'read' && cluster.webhook !== null)
      must(cluster.webhook.serial === serial, 'the Secret goes first');
  });
});

test('without a record nothing happens but registering, and without an answer nothing is written or forgotten', () => {
  fc.assert(
    fc.property(anyRuntime, (seen) => {
      const { action } = decideRuntime(seen);
      if (seen.held === null) return must(action?.do === 'register', 'something else first');
      if (seen.cluster.state === 'unreachable') must(action === null, JSON.stringify(action));
    }),
    runs,
  );
});

test('what is seen in place is always in the record, and is never trimmed from it', () => {
  fc.assert(
    fc.property(anyRuntime, ({ held, cluster, seen, registered, monotonicMs }) => {
      if (held === null || cluster.state !== 'read') return;
      const standing = cluster.secret;
      const noted = noteStanding(held, standing);
      const kept = dropAbandoned(noted, standing, registered, monotonicMs, fenceMs);
      const trimmed = trim(kept, seen, monotonicMs, propagationDelayMs);
      must(trimmed.values.at(-1) === kept.values.at(-1), 'the newest value is dropped');
      must(kept.values.slice(-trimmed.values.length).join() === trimmed.values.join(), 'something newer is dropped');
      if (standing === null) return;
      const stands = trimmed.values.some(
        (value) => value.bundle.join() === standing.bundle.join() && value.client?.digest === standing.client?.digest,
      );
      must(stands, 'what stands there is not in the record');
    }),
    runs,
  );
});

test('what is unknown stays unknown unless a value of ours, or the absence of any, has been in place long enough', () => {
  fc.assert(
    fc.property(anyRuntime, ({ held, cluster, seen, monotonicMs }) => {
      if (held === null || held.beyond === 'nothing' || cluster.state !== 'read') return;
      const trimmed = trim(noteStanding(held, cluster.secret), seen, monotonicMs, propagationDelayMs);
      if (trimmed.beyond !== 'nothing') return;
      const first = trimmed.values[0];
      if (first === undefined) return must(held.beyond === 'unseen' && cluster.secret === null, 'forgotten');
      const since = seen[first.serial] ?? Number.POSITIVE_INFINITY;
      must(monotonicMs - since >= propagationDelayMs, 'too early');
      must(first.state === 'confirmed' || first.serial === 'absent', 'on a found value');
    }),
    runs,
  );
});

test('the next look is never now or in the past, which would be a hot loop', () => {
  fc.assert(
    fc.property(anyRuntime, (seen) => {
      const { wakeAfterMs } = decideRuntime(seen);
      must(wakeAfterMs === null || wakeAfterMs >= 1, `${wakeAfterMs} ms`);
    }),
    runs,
  );
});

/** Keys of all that the runtime may present, or would get next; `null`: it may be anything. Told from the values. */
function mayUse({ held, hub }: RuntimeObserved): readonly (KeyId | null)[] | null {
  if (held?.beyond !== 'nothing') return null;
  const clients = held.values.flatMap(({ client }) => (client === null ? [] : [client.signer]));
  if (clients.includes(null)) return null;
  return [...clients, hub.certificate.pair?.signer ?? null];
}

const asks = ({ issue: { step } }: RuntimePlan): boolean => step === 'apply' || step === 'renew';

test('nobody but who may present a certificate of a tainted root is asked for before one that waits', () => {
  fc.assert(
    fc.property(anyRuntime, (seen) => {
      const plan = decideRuntime(seen);
      const { hub, policy, cluster } = seen;
      if (!hub.taintedAhead || !hub.certificate.exists || !asks(plan)) return;
      const keys = mayUse(seen);
      must(plan.comesFirst && cluster.state === 'read', 'out of turn');
      must(keys === null || keys.some((key) => policy.tainted.some((other) => other === key)), 'not of a tainted root');
    }),
    runs,
  );
});

test('taint holds nothing back but a certificate: what is delivered is the same without it', () => {
  fc.assert(
    fc.property(anyRuntime, (seen) => {
      const { issue: _, comesFirst: __, ...delivery } = decideRuntime(seen);
      const untainted = { ...seen, policy: { ...seen.policy, tainted: [] } };
      const { issue: ___, comesFirst: ____, ...same } = decideRuntime(untainted);
      expect(delivery).toEqual(same);
    }),
    runs,
  );
});

test('who does not answer never comes first, so it holds nobody back', () => {
  fc.assert(
    fc.property(anyRuntime, (seen) => {
      const silent = { ...seen, cluster: { state: 'unreachable' as const } };
      must(!decideRuntime(silent).comesFirst, 'it comes first');
    }),
    runs,
  );
});

test('of a tainted root that is current nothing is asked for while the pair in place can serve on', () => {
  fc.assert(
    fc.property(anyRuntime, (seen) => {
      const { hub, policy } = seen;
      const { pair } = hub.certificate;
      const plan = decideRuntime(seen);
      if (plan.issue.step !== 'renew' || pair === null || hub.current === null || hub.gateway === null) return;
      if (!policy.tainted.includes(hub.current.keyId)) return;
      const root = hub.gateway.bundle.find(({ keyId }) => keyId === pair.signer);
      const endMs = Math.min(pair.notAfterMs, root?.notAfterMs ?? 0);
      const leaves = root === undefined || hub.gateway.closing.length > 0 || policy.revoked.includes(root.keyId);
      must(!pair.keyMatches || endMs <= seen.nowMs + policy.renewBeforeMs || leaves, 'asked for without need');
    }),
    runs,
  );
});

test('the situations hold waits for a turn and for another root, or the rules above would say nothing of them', () => {
  const plans = fc.sample(anyRuntime, { numRuns: 2000, seed: 3 }).map(decideRuntime);
  const reasons = plans.flatMap(({ issue }) => (issue.step === 'none' ? [] : [issue.reason]));
  for (const reason of ['TaintedFirst', 'RootTainted', 'WaveNotReached', 'SignedByOlderRoot'] as const) {
    expect(reasons.filter((other) => other === reason).length, reason).toBeGreaterThan(10);
  }
  expect(plans.filter((plan) => plan.comesFirst && asks(plan)).length).toBeGreaterThan(10);
});
