import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decideGateway, type GatewayPlan, type GatewayWrite } from '../../src/rotation/decide/gateway.ts';
import type { KeyId } from '../../src/rotation/decide/values.ts';
import { anyGateway, anyLoss, type ReadableGateway } from './arbitrary.ts';
import { host, unprovableAfterMs } from './build.ts';

const runs = { numRuns: 500 };

/** Holds for every plan that is a write. */
function everyWrite(rule: (write: GatewayWrite, seen: ReadableGateway, plan: GatewayPlan) => void): void {
  fc.assert(
    fc.property(anyGateway, (seen) => {
      const plan = decideGateway(seen);
      if (plan.action?.do === 'write') rule(plan.action, seen, plan);
    }),
    runs,
  );
}

const must = (kept: boolean, what: string): void => {
  if (!kept) throw new Error(what);
};
const currentOf = ({ admission }: GatewayPlan): { digest: string; keyId: KeyId } | null =>
  admission.admitted ? admission.root : null;

/** Keys of certificates that an endpoint may present; `null`: anything. Told from the values, not by the decisions. */
function mayServe(seen: ReadableGateway): ReadonlySet<KeyId> | null {
  const keys = new Set<KeyId>();
  for (const { value } of seen.journal?.servers ?? []) {
    if (value === null) return null;
    if (value === 'none') continue;
    if (value.signer === null) return null;
    keys.add(value.signer);
  }
  return keys;
}

/** The same for endpoints and runtimes. */
function presented(seen: ReadableGateway): ReadonlySet<KeyId> | null {
  const servers = mayServe(seen);
  if (servers === null) return null;
  const keys = new Set(servers);
  for (const { held } of seen.fleet.groups) {
    if (held?.beyond !== 'nothing') return null;
    for (const { client } of held.values) {
      if (client === null) continue;
      if (client.signer === null) return null;
      keys.add(client.signer);
    }
  }
  return keys;
}

test('every kind of write comes up in these situations, or the rules below would say nothing of it', () => {
  // One seed: another may miss a rare kind.
  const plans = fc.sample(anyGateway, { numRuns: 1000, seed: 3 }).map(decideGateway);
  const kinds = plans.flatMap(({ action }) => (action?.do === 'write' ? [action.why] : []));
  expect([...new Set(kinds)].sort()).toEqual([
    'RecordRepaired',
    'RootAdded',
    'RootClosing',
    'RootExpired',
    'RootKept',
    'RootRetired',
    'RootReturns',
    'RootRevoked',
    'ServerSwitched',
  ]);
  expect(plans.filter(({ trusted }) => trusted.length > 0).length).toBeGreaterThan(100);
});

test("no bundle is written that is empty, lists a root twice, or lacks the current root or the candidate's", () => {
  everyWrite(({ bundle, why }, seen, plan) => {
    must(bundle.length > 0, 'empty');
    must(new Set(bundle.map(({ digest }) => digest)).size === bundle.length, 'a root twice');
    const current = currentOf(plan);
    const held = bundle.some(({ digest }) => digest === current?.digest);
    // A mark is taken away first; the root itself enters with the next write.
    must(current === null || why === 'RootReturns' || held, 'the current root is missing');
    const key = plan.candidate?.signer;
    must(plan.candidate === null || bundle.some(({ keyId }) => keyId === key), "the candidate's root is missing");
    must(why !== 'ServerSwitched' || bundle === seen.secret.bundle, 'the bundle changes with the switch');
  });
});

test('every write is conditional on the version that was read', () => {
  everyWrite(({ baseVersion }, seen) => must(baseVersion === seen.secret.resourceVersion, 'another version'));
});

test('only a root that enters is new, and everything else in the bundle keeps its order', () => {
  everyWrite(({ bundle }, seen, plan) => {
    const fresh = bundle.filter((root) => !seen.secret.bundle.includes(root));
    must(
      fresh.every(({ digest }) => digest === currentOf(plan)?.digest),
      'a stranger enters',
    );
    const stayed = bundle.filter((root) => !fresh.includes(root));
    must(stayed.join() === seen.secret.bundle.filter((root) => bundle.includes(root)).join(), 'another order');
  });
});

test('a root leaves only expired, outlived by another of its key, revoked, or marked, unused and seen live', () => {
  everyWrite(({ bundle, why }, seen, plan) => {
    for (const root of seen.secret.bundle.filter((one) => !bundle.includes(one))) {
      must(root.digest !== currentOf(plan)?.digest, 'the current root leaves');
      const expired = root.notAfterMs <= seen.nowMs;
      const outlived = bundle.some(({ keyId, notAfterMs }) => keyId === root.keyId && notAfterMs > root.notAfterMs);
      if (expired || outlived) continue;
      if (why === 'RootRevoked') {
        must(seen.policy.revoked.includes(root.keyId), 'it is not revoked');
        must(mayServe(seen)?.has(root.keyId) === false, 'the server may still present it');
        continue;
      }
      must(why === 'RootRetired', `it leaves by ${why}`);
      must(seen.fleet.live, 'the fleet was not read live');
      must(seen.secret.closing.includes(root.digest), 'it was not marked');
      const users = presented(seen);
      must(users !== null && !users.has(root.keyId), 'somebody may present it');
      must(root.keyId !== currentOf(plan)?.keyId && root.keyId !== plan.candidate?.signer, 'it is to be used');
    }
  });
});

test('the server moves only from a fleet read live, when every runtime may only hold bundles with the root or was given up', () => {
  everyWrite(({ server, why }, seen) => {
    must((server !== null) === (why === 'ServerSwitched'), 'a server certificate without a switch, or the reverse');
    if (server === null) return;
    must(seen.fleet.live, 'the fleet was not read live');
    must(!seen.policy.paused, 'paused');
    const standing = seen.secret.server;
    const useless = standing === null || standing.notAfterMs <= seen.nowMs;
    const harmless =
      useless || standing.signer === server.signer || seen.policy.revoked.includes(standing.signer ?? '');
    const roots = seen.secret.bundle.filter(({ keyId }) => keyId === server.signer).map(({ digest }) => digest);
    for (const { held, unprovenForMs } of harmless ? [] : seen.fleet.groups) {
      const holds =
        held?.beyond === 'nothing' &&
        held.values.every(({ bundle }) => bundle.some((digest) => roots.includes(digest)));
      must(holds || unprovenForMs.every((ms) => ms >= unprovableAfterMs), 'a runtime may not trust it');
    }
  });
});

test('the record names each root of the bundle: what stayed as it was, what is new by the version replaced', () => {
  everyWrite(({ bundle, added }, { secret }) => {
    must(
      Object.keys(added).sort().join() ===
        bundle
          .map(({ digest }) => digest)
          .sort()
          .join(),
      'other roots',
    );
    for (const root of bundle) {
      const before = secret.bundle.includes(root) ? secret.added[root.digest] : undefined;
      must(added[root.digest] === (before ?? secret.resourceVersion), `record of ${root.digest}`);
    }
  });
});

test("no mark is set on the current root or the candidate's, and none stays on a root that left", () => {
  everyWrite(({ closing, bundle, why }, seen, plan) => {
    must(!closing.includes(currentOf(plan)?.digest ?? ''), 'the current root is marked');
    const fresh = closing.filter((digest) => !seen.secret.closing.includes(digest));
    const keys = bundle.filter(({ digest }) => fresh.includes(digest)).map(({ keyId }) => keyId);
    must(plan.candidate?.signer == null || !keys.includes(plan.candidate.signer), "the candidate's root is marked");
    must(fresh.length === 0 || why === 'RootClosing', 'a mark beside something else');
    const left = seen.secret.bundle.filter((root) => !bundle.includes(root)).map(({ digest }) => digest);
    must(!closing.some((digest) => left.includes(digest)), 'the mark of a root that left');
  });
});

test('a root is trusted only when every bundle that an endpoint may be using is known and holds its key', () => {
  fc.assert(
    fc.property(anyGateway, (seen) => {
      for (const { digest, added } of decideGateway(seen).trusted) {
        const root = seen.secret.bundle.find((one) => one.digest === digest);
        must(root !== undefined && seen.secret.added[digest] === added, 'not the root that stands there');
        const everywhere = seen.journal?.bundles.every(({ value }) =>
          value?.some(({ keyId }) => keyId === root?.keyId),
        );
        must(everywhere === true, 'an endpoint may not trust it');
      }
    }),
    runs,
  );
});

test('while paused or without an admitted root nothing is switched, marked or retired', () => {
  fc.assert(
    fc.property(anyGateway, (seen) => {
      const plan = decideGateway(seen);
      if (!seen.policy.paused && plan.admission.admitted) return;
      const { action } = plan;
      const quiet =
        action === null ||
        (action.do === 'write' && ['RootAdded', 'RootReturns', 'RecordRepaired'].includes(action.why));
      must(quiet, JSON.stringify(action));
    }),
    runs,
  );
});

test('what is made where the Secret is lost holds the current root, no root twice, no other expired or revoked', () => {
  fc.assert(
    fc.property(anyLoss, (seen) => {
      const { action, admission } = decideGateway(seen);
      must((action === null) === !admission.admitted, 'something is made without a root, or nothing with one');
      if (action?.do !== 'restore') return must(action === null || action.do === 'create', 'something else');
      must(seen.secret === 'unreadable' || seen.traces.any, 'a first start');
      const ahead = action.bundle.slice(
        0,
        action.bundle.findIndex(({ digest }) => digest === action.root.digest),
      );
      const { keyId, notAfterMs } = action.root;
      must(
        ahead.every((root) => root.keyId === keyId && root.notAfterMs > notAfterMs),
        'the current root is not in front',
      );
      must(new Set(action.bundle.map(({ digest }) => digest)).size === action.bundle.length, 'a root twice');
      for (const root of action.bundle) {
        must(root.notAfterMs > seen.nowMs && !seen.policy.revoked.includes(root.keyId), `${root.digest} is restored`);
      }
      for (const root of seen.traces.lastSeen?.bundle ?? []) {
        const usable = root.notAfterMs > seen.nowMs && !seen.policy.revoked.includes(root.keyId);
        must(!usable || action.bundle.some(({ digest }) => digest === root.digest), `${root.digest} is forgotten`);
      }
    }),
    runs,
  );
});

test('a server certificate of a tainted root is issued only where the one in place would fail', () => {
  fc.assert(
    fc.property(anyGateway, (seen) => {
      const { action } = decideGateway(seen);
      if (action?.do !== 'issueCandidate' || !seen.policy.tainted.includes(action.root.keyId)) return;
      const { server, bundle, closing } = seen.secret;
      const root = bundle.find(({ keyId, digest }) => keyId === server?.signer && !closing.includes(digest));
      const endMs = Math.min(server?.notAfterMs ?? 0, root?.notAfterMs ?? 0);
      const serves =
        server !== null &&
        root !== undefined &&
        server.signer !== action.root.keyId &&
        !server.isRoot &&
        server.dnsNames.includes(host) &&
        endMs > seen.nowMs + seen.policy.serverRenewBeforeMs &&
        !seen.policy.revoked.includes(root.keyId);
      must(!serves, 'issued without need');
    }),
    runs,
  );
});

test('of two roots that are both good for it the server never moves to the tainted one', () => {
  everyWrite(({ why, server }, seen, plan) => {
    const current = currentOf(plan);
    if (why !== 'ServerSwitched' || current === null || seen.policy.tainted.includes(current.keyId)) return;
    must(!seen.policy.tainted.some((key) => key === server?.signer), 'moved to a tainted root');
  });
});
