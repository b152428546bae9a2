/**
 * Known mistakes, each planted by feeding the production functions a falsified observation or by bending their plan. The
 * explorer has to find every one of them, or it proves nothing.
 *
 * @module
 */
import type { GatewayObserved, GatewayPlan, GatewayWrite } from '../src/rotation/decide/gateway.ts';
import type { StoredProof } from '../src/rotation/decide/gateway-journal.ts';
import type { RuntimeObserved, RuntimePlan } from '../src/rotation/decide/runtime.ts';
import type { GatewaySecret, Holdings } from '../src/rotation/decide/values.ts';
import type { World } from './world.ts';

export interface Plant {
  readonly name: string;
  readonly gatewaySees?: (seen: GatewayObserved, world: World) => GatewayObserved;
  readonly gatewayPlans?: (plan: GatewayPlan, seen: GatewayObserved, world: World) => GatewayPlan;
  readonly runtimeSees?: (seen: RuntimeObserved, world: World, runtime: number) => RuntimeObserved;
  readonly runtimePlans?: (plan: RuntimePlan, seen: RuntimeObserved, world: World) => RuntimePlan;
  readonly storedProof?: (proof: StoredProof | null, world: World) => StoredProof | null;
  /** A restart takes the standing value's delay for passed. */
  readonly restartShortensDelay?: boolean;
  /** A new value starts the wait of all earlier ones again. */
  readonly oneTimestamp?: boolean;
  /** Who comes first holds the others until it is looked at again, however long that takes. */
  readonly endlessPatience?: boolean;
}

/** The candidate is taken although runtimes are still waited for. */
const withoutFleet = (seen: GatewayObserved): GatewayObserved => ({ ...seen, fleet: { live: true, groups: [] } });

export const PLANTS: readonly Plant[] = [
  {
    name: 'switch by grace period',
    gatewayPlans: (plan, seen) => {
      const secret = secretIn(seen);
      if (secret === null || plan.candidate === null || plan.action !== null) return plan;
      return writing(plan, secret, { why: 'ServerSwitched', server: plan.candidate });
    },
  },
  { name: 'one resettable timestamp for all roots', oneTimestamp: true },
  {
    name: '"newer than" instead of "signed by"',
    // Whatever was issued after the root last changed passes for fresh; the explorer numbers leaves as they are issued.
    runtimeSees: (seen, world) => {
      const { pair } = seen.hub.certificate;
      const current = seen.hub.current;
      if (pair === null || current === null || !isNewer(pair.digest, world)) return seen;
      const certificate = {
        ...seen.hub.certificate,
        issuing: seen.hub.certificate.issuing || pair.signer !== current.keyId,
      };
      return { ...seen, hub: { ...seen.hub, certificate } };
    },
  },
  {
    name: "delivery before the gateway's proof",
    runtimeSees: (seen) => trustAll(seen),
  },
  { name: 'a delay shortened by a restart', restartShortensDelay: true },
  {
    name: 'a stored proof used for a newer write',
    storedProof: (proof, world) =>
      proof === null
        ? null
        : { bundleVersion: world.secret.resourceVersion, serverVersion: world.secret.resourceVersion },
  },
  {
    name: 'proof by root instead of by value',
    runtimeSees: (seen) => {
      const added = seen.hub.gateway?.added ?? {};
      const trusted = seen.hub.trusted.map(({ digest, added: at }) => ({ digest, added: added[digest] ?? at }));
      return { ...seen, hub: { ...seen.hub, trusted } };
    },
  },
  {
    name: 'late write without fence',
    // An unanswered write is taken for one that was not made.
    gatewaySees: (seen) => ({
      ...seen,
      fleet: {
        ...seen.fleet,
        groups: seen.fleet.groups.map((group) => ({ ...group, held: withoutIntents(group.held) })),
      },
    }),
  },
  {
    name: 'first delivery before registering (join during a switch)',
    runtimeSees: (seen) => {
      const delivered = seen.cluster.state === 'read' && seen.cluster.secret !== null;
      if (seen.held !== null || delivered) return seen;
      const bundle = seen.hub.gateway?.bundle.map((root) => root.digest) ?? [];
      const { pair } = seen.hub.certificate;
      if (pair === null) return seen;
      const client = { digest: pair.digest, signer: pair.signer, notAfterMs: pair.notAfterMs };
      const value = { serial: seen.nextSerial, bundle, client, state: 'intended', resourceVersion: '' } as const;
      return { ...seen, held: { beyond: 'nothing', values: [value] } };
    },
    runtimePlans: (plan, seen) => {
      const delivered = seen.cluster.state === 'read' && seen.cluster.secret !== null;
      return plan.action?.do === 'register' && !delivered ? { ...plan, action: null } : plan;
    },
    gatewaySees: (seen) => withoutUnrecorded(seen),
  },
  {
    name: 'switch waits for pairs',
    gatewayPlans: (plan, seen) => {
      const waits = seen.fleet.groups.some(({ held }) =>
        held?.values.some((value) => value.client !== null && value.client.signer !== plan.candidate?.signer),
      );
      const action = plan.action;
      const switches = action?.do === 'readFleet' || (action?.do === 'write' && action.why === 'ServerSwitched');
      return waits && switches && plan.switch?.may === true ? { ...plan, action: null } : plan;
    },
  },
  {
    name: 'retire on age',
    gatewaySees: (seen) => (seen.fleet.live && closingStands(seen) ? withoutFleet(seen) : seen),
    gatewayPlans: (plan, seen) => {
      const secret = secretIn(seen);
      if (secret === null || plan.action !== null || secret.closing.length > 0) return plan;
      const keep = [plan.candidate?.signer, currentKey(plan), secret.server?.signer];
      const bundle = secret.bundle.filter((root) => keep.includes(root.keyId));
      return bundle.length === secret.bundle.length ? plan : writing(plan, secret, { why: 'RootRetired', bundle });
    },
  },
  {
    name: 'current and previous only',
    gatewayPlans: (plan) =>
      plan.action?.do === 'write' && plan.action.why === 'RootAdded'
        ? { ...plan, action: { ...plan.action, bundle: plan.action.bundle.slice(0, 2) } }
        : plan,
  },
  {
    name: 'caBundle after the pair',
    runtimeSees: (seen) => trustedByWebhook(seen),
    runtimePlans: (plan, seen) => {
      const action = plan.action;
      if (action?.do !== 'writeCaBundle' || seen.cluster.state !== 'read' || seen.held === null) return plan;
      const intent = seen.held.values.at(-1);
      if (intent === undefined || seen.cluster.secret?.serial === intent.serial) return plan;
      const hub = seen.hub.certificate.pair;
      const pair = hub?.digest === intent.client?.digest ? 'hub' : 'standing';
      const baseVersion = seen.cluster.secret?.resourceVersion ?? '';
      return {
        ...plan,
        action: { do: 'writeSecret', serial: intent.serial, baseVersion, bundle: intent.bundle, pair },
      };
    },
  },
  {
    name: 'the pair sent before the API servers use the caBundle',
    runtimeSees: (seen) => trustedByWebhook(seen),
  },
  {
    name: "the candidate's root retired",
    gatewayPlans: (plan, seen) => {
      const secret = secretIn(seen);
      if (secret === null || plan.candidate === null || plan.action !== null) return plan;
      const { signer } = plan.candidate;
      const used = seen.fleet.groups.some(({ held }) => held?.values.some((value) => value.client?.signer === signer));
      if (used || signer === currentKey(plan) || signer === secret.server?.signer) return plan;
      return writing(plan, secret, {
        why: 'RootRetired',
        bundle: secret.bundle.filter((root) => root.keyId !== signer),
      });
    },
  },
  {
    name: 'a closing mark left behind',
    gatewayPlans: (plan) =>
      plan.action?.do === 'write' && (plan.action.why === 'RootReturns' || plan.action.why === 'RootKept')
        ? { ...plan, action: null }
        : plan,
  },
  {
    name: 'a runtime without a record taken for gone',
    gatewaySees: (seen) => withoutUnrecorded(seen),
  },
  {
    name: 'others have their turn before a tainted root',
    runtimeSees: (seen) => ({ ...seen, hub: { ...seen.hub, taintedAhead: false } }),
  },
  { name: 'a tainted runtime that does not answer holds the others', endlessPatience: true },
  {
    name: 'a tainted runtime holds the others until it is issued',
    runtimePlans: (plan) => {
      const stuck = plan.comesFirst && plan.issue.step === 'wait' && plan.issue.reason === 'Issuing';
      return stuck ? { ...plan, issue: { step: 'wait', reason: 'WaveNotReached' } } : plan;
    },
  },
  {
    name: 'another certificate of a tainted root that is current',
    runtimeSees: (seen) => ({ ...seen, policy: { ...seen.policy, tainted: [] } }),
  },
  {
    name: 'the server moved to a tainted root',
    gatewaySees: (seen) => ({ ...seen, policy: { ...seen.policy, tainted: [] } }),
  },
];

function isNewer(digest: string, world: World): boolean {
  const changed = Number(world.secret.added[world.secret.bundle[0]?.digest ?? '']?.replace(/\D/g, '') ?? 0);
  return Number(digest.replace(/\D/g, '')) > changed;
}

function trustAll(seen: RuntimeObserved): RuntimeObserved {
  const gateway = seen.hub.gateway;
  if (gateway === null) return seen;
  const trusted = gateway.bundle.map(({ digest }) => ({ digest, added: gateway.added[digest] ?? '' }));
  return { ...seen, hub: { ...seen.hub, trusted } };
}

function trustedByWebhook(seen: RuntimeObserved): RuntimeObserved {
  if (seen.cluster.state !== 'read' || seen.cluster.webhook === null) return seen;
  return { ...seen, cluster: { ...seen.cluster, webhook: { ...seen.cluster.webhook, possible: [] } } };
}

function withoutUnrecorded(seen: GatewayObserved): GatewayObserved {
  return {
    ...seen,
    fleet: { ...seen.fleet, groups: seen.fleet.groups.filter(({ held }) => held !== null) },
  };
}

function closingStands(seen: GatewayObserved): boolean {
  return (secretIn(seen)?.closing.length ?? 0) > 0;
}

function secretIn(seen: GatewayObserved): GatewaySecret | null {
  return seen.secret === 'unreadable' ? null : seen.secret;
}

function currentKey(plan: GatewayPlan): string {
  return plan.admission.admitted ? plan.admission.root.keyId : '';
}

/** The plan with a write of its own: what it does not change stands as it is; a root that leaves takes its mark with it. */
function writing(
  plan: GatewayPlan,
  secret: GatewaySecret,
  change: Pick<GatewayWrite, 'why'> & Partial<GatewayWrite>,
): GatewayPlan {
  const { resourceVersion: baseVersion, bundle, added, closing } = secret;
  return { ...plan, action: { do: 'write', baseVersion, bundle, added, closing, server: null, ...change } };
}

function withoutIntents(held: Holdings | null): Holdings | null {
  return held === null ? null : { ...held, values: held.values.filter((value) => value.state !== 'intended') };
}
