import type { Reason } from '../../api/reasons.ts';
import type { Candidate } from '../../rotation/decide/candidate.ts';
import { fleetOf } from '../../rotation/decide/fleet.ts';
import { decideGateway, type GatewayAction, type GatewayPolicy } from '../../rotation/decide/gateway.ts';
import { type GatewayJournal, noteSecret, startJournal } from '../../rotation/decide/gateway-journal.ts';
import { confirm, type StandingSecret } from '../../rotation/decide/holdings.ts';
import { asHeld, type HubPair } from '../../rotation/decide/may-deliver-pair.ts';
import { decideRuntime, type RuntimePolicy, type StandingWebhook } from '../../rotation/decide/runtime.ts';
import type { GatewaySecret, Holdings, Root, TrustedRoot } from '../../rotation/decide/values.ts';
import { sentenceOf } from './gateway-sentence.ts';

/** What a rehearsal begins with. */
export interface Stage {
  readonly nowMs: number;
  /** `null`: there is none yet. */
  readonly secret: GatewaySecret | null;
  readonly candidate: Candidate | null;
  readonly hosts: readonly string[];
  readonly gatewayPolicy: GatewayPolicy;
  /** Of the current root; a new one is imagined with its name and lifetime. */
  readonly current: Root | null;
  readonly runtimes: readonly StagedRuntime[];
  readonly runtimePolicy: RuntimePolicy;
  /** Issuances at once, as the policy says. */
  readonly waveSize: number;
  /** Certificates a second. */
  readonly issuerPerSecond: number;
  /** Until every endpoint has taken a new version of the gateway Secret. */
  readonly gatewayTakesMs: number;
}

export interface StagedRuntime {
  readonly name: string;
  readonly held: Holdings | null;
  readonly pair: HubPair | null;
  /** Its webhook configuration; `null` where it has none, `undefined` where nobody looked. */
  readonly webhook: Pick<StandingWebhook, 'serial' | 'caBundle'> | null | undefined;
  /** Why nothing can be written there; `null` where it can. */
  readonly unreachable: Reason | null;
}

export interface RehearsedStep {
  /** From the moment when the new root stands in its Secret. */
  readonly afterMs: number;
  readonly what: string;
  /** How many runtimes it concerns; 0 where it concerns none. */
  readonly runtimes: number;
}

export interface Rehearsal {
  readonly steps: readonly RehearsedStep[];
  /** Everything ends on the new root, and the others leave. */
  readonly settles: boolean;
  /** Why the new root would not even enter. */
  readonly refused: readonly Reason[];
  /** Runtimes that the switch would wait for, with the reason. */
  readonly heldUpBy: readonly { readonly name: string; readonly reason: Reason | null }[];
  /** Roots that would stay, and why. */
  readonly kept: readonly { readonly root: string; readonly use: string; readonly by: string }[];
  readonly waves: number;
}

/** A webhook configuration with every `caBundle` that the API servers may be using, the standing one last. */
interface ActingWebhook {
  serial: string;
  readonly caBundles: { readonly roots: readonly Root[]; untilMs: number }[];
}

interface Actor extends Omit<StagedRuntime, 'webhook'> {
  readonly webhook: ActingWebhook | null;
  held: Holdings | null;
  pair: HubPair | null;
  standing: StandingSecret | null;
  issuing: boolean;
  asks: boolean;
  readonly seen: Record<string, number>;
  readonly registered: Record<string, number>;
  wakeAtMs: number;
}

/** A rotation takes some ten steps and one for each wave; far more means that the rehearsal goes round in circles. */
const mostRounds = 20_000;
const mostSteps = 30;
const newKey = 'new-root';

/**
 * What would happen if another root came now: the operator's own decisions, played through on a clock of their own. Writes
 * take no time here; what is waited for does: delays, margins, the API servers of a runtime, the issuer at its rate.
 */
export function rehearseRotation(stage: Stage): Rehearsal {
  const { nowMs, runtimePolicy: policy } = stage;
  const root = imaginedRoot(stage);
  const steps: RehearsedStep[] = [];
  const actors = stage.runtimes.map((runtime) => actorFrom(runtime, stage.secret?.bundle ?? []));
  let atMs = 0;
  let secret = stage.secret;
  let journal: GatewayJournal | null = secret === null ? null : provenJournal(secret);
  let candidate = stage.candidate;
  let writes = 0;
  let waves = 0;
  let gatewayTakenMs = Number.POSITIVE_INFINITY;
  let wave: { readonly actors: readonly Actor[]; readonly endMs: number } | null = null;
  let trusted: readonly TrustedRoot[] = [];
  const nameOf = (digest: string): string => (digest === root.digest ? 'the new root' : `root ${digest.slice(0, 12)}`);

  const say = (what: string, runtimes = 0): void => {
    const last = steps.at(-1);
    if (last?.what === what && last.afterMs === atMs)
      steps[steps.length - 1] = { ...last, runtimes: last.runtimes + runtimes };
    else steps.push({ afterMs: atMs, what, runtimes });
  };
  const decide = () =>
    decideGateway({
      nowMs: nowMs + atMs,
      policy: stage.gatewayPolicy,
      root: { state: 'readable', root, defects: [] },
      secret,
      candidate,
      hosts: stage.hosts,
      journal,
      fleet: fleetOf(
        true,
        actors.map(({ name, held }) => ({ name, held, unprovenForMs: 0 })),
      ),
      traces: { any: secret !== null, lastSeen: null, roots: [] },
    });

  const gatewayActs = (): boolean => {
    let acted = false;
    for (let count = 0; count < mostSteps; count += 1) {
      const plan = decide();
      trusted = plan.trusted;
      const { action } = plan;
      if (action === null || action.do === 'readFleet') return acted;
      acted = true;
      say(sentenceOf(action, nameOf));
      if (action.do === 'issueCandidate') {
        candidate = imaginedServer(action.root, stage.hosts, nowMs + atMs);
        continue;
      }
      writes += 1;
      const before = secret;
      secret = written(action, before, `rehearsed-${writes}`, stage.hosts, nowMs + atMs);
      // The journal follows our own write; the endpoints take it a moment later.
      journal = journal === null || before === null ? provenJournal(secret) : noteSecret(journal, secret, atMs, true);
      gatewayTakenMs = atMs + stage.gatewayTakesMs;
      if (action.do === 'write' && action.why === 'ServerSwitched') candidate = null;
    }
    return acted;
  };

  const asking: { readonly first: Actor[]; readonly rest: Actor[] } = { first: [], rest: [] };
  const runtimeActs = (actor: Actor): void => {
    for (let count = 0; count < mostSteps; count += 1) {
      const place = actor.standing?.serial ?? 'absent';
      actor.seen[place] ??= atMs;
      const plan = decideRuntime({
        nowMs: nowMs + atMs,
        monotonicMs: atMs,
        policy,
        cluster:
          actor.unreachable === null
            ? { state: 'read', secret: actor.standing, webhook: standingWebhook(actor.webhook, atMs) }
            : { state: 'unreachable' },
        hub: {
          gateway: secret,
          trusted,
          current: root,
          certificate: {
            exists: true,
            asSpecified: true,
            issuing: actor.issuing,
            backOffUntilMs: 0,
            failures: 0,
            askedFor: null,
            pair: actor.pair,
          },
          mayRenew: true,
          taintedAhead: false,
        },
        held: actor.held,
        seen: actor.seen,
        registered: actor.registered,
        nextSerial: `${actor.name}-${atMs}-${count}`,
      });
      if (plan.issue.step === 'renew' && !actor.asks) {
        actor.asks = true;
        (plan.comesFirst ? asking.first : asking.rest).push(actor);
      }
      actor.wakeAtMs = plan.wakeAfterMs === null ? Number.POSITIVE_INFINITY : atMs + plan.wakeAfterMs;
      if (plan.waits.includes('WebhookMayNotTrustSigner')) {
        actor.wakeAtMs = Math.min(actor.wakeAtMs, fewerCaBundlesAtMs(actor.webhook, atMs));
      }
      const { action } = plan;
      if (action === null) return;
      if (action.do === 'writeCaBundle') {
        writeCaBundle(actor.webhook, action.serial, action.caBundle, atMs + policy.propagationDelayMs);
        continue;
      }
      if (action.do === 'register') {
        actor.held = { beyond: 'unseen', values: [] };
        continue;
      }
      if (action.do === 'record') {
        actor.held = action.held;
        const intent = action.held.values.at(-1);
        if (intent?.state === 'intended') actor.registered[intent.serial] ??= atMs;
        continue;
      }
      const { pair } = actor;
      const isNew = action.pair === 'hub' && pair !== null;
      actor.standing = {
        resourceVersion: `${actor.name}-${action.serial}`,
        serial: action.serial,
        bundle: action.bundle,
        client: isNew ? asHeld(pair) : (actor.standing?.client ?? null),
      };
      actor.held = confirm(
        actor.held ?? { beyond: 'nothing', values: [] },
        action.serial,
        actor.standing.resourceVersion,
      );
      actor.seen[action.serial] = atMs;
      say(isNew ? 'runtimes get their new pair' : 'runtimes get the bundle', 1);
    }
  };

  const first = decide();
  const refused = first.admission.admitted ? [] : first.admission.reasons;
  let due: readonly Actor[] = actors;
  let gatewayDue = true;
  for (let round = 0; round < mostRounds && refused.length === 0; round += 1) {
    // One acts on what the other has done, until neither has anything left to do at this moment.
    for (let count = 0; count < mostSteps; count += 1) {
      const acted = gatewayDue && gatewayActs();
      gatewayDue = false;
      for (const actor of acted ? actors : due) {
        const { held } = actor;
        runtimeActs(actor);
        if (actor.held !== held) gatewayDue = true;
      }
      due = [];
      if (!acted && !gatewayDue) break;
    }
    if (wave === null && asking.first.length + asking.rest.length > 0) {
      const first = asking.first.splice(0, stage.waveSize);
      const next = [...first, ...asking.rest.splice(0, stage.waveSize - first.length)];
      waves += 1;
      for (const actor of next) actor.issuing = true;
      say(`wave ${waves}: certificates are asked for`, next.length);
      wave = { actors: next, endMs: atMs + (next.length / stage.issuerPerSecond) * 1_000 };
    }
    const ready = candidate === null ? Number.POSITIVE_INFINITY : candidate.notBeforeMs + policy.skewMarginMs - nowMs;
    const instants = [
      gatewayTakenMs,
      wave?.endMs ?? Number.POSITIVE_INFINITY,
      ready > atMs ? ready : Number.POSITIVE_INFINITY,
      ...actors.map(({ wakeAtMs }) => wakeAtMs),
    ];
    const nextMs = instants.reduce((earliest, ms) => Math.min(earliest, ms), Number.POSITIVE_INFINITY);
    if (!Number.isFinite(nextMs)) break;
    const candidateWaits = ready > atMs;
    // A millisecond past the instant, so that every comparison has turned by then.
    atMs = Math.max(atMs + 1, Math.ceil(nextMs));
    const proved = gatewayTakenMs <= atMs && secret !== null;
    if (gatewayTakenMs <= atMs && secret !== null) {
      gatewayTakenMs = Number.POSITIVE_INFINITY;
      journal = provenJournal(secret);
    }
    const woken = actors.filter(({ wakeAtMs }) => wakeAtMs <= atMs);
    due = woken;
    if (wave !== null && wave.endMs <= atMs) {
      for (const actor of wave.actors) {
        actor.issuing = false;
        actor.pair = imaginedPair(actor.name, root, nowMs + atMs);
      }
      due = [...new Set([...wave.actors, ...woken])];
      wave = null;
    }
    // A proof concerns everybody: what waited for it goes out now.
    if (proved) due = actors;
    gatewayDue = proved || (candidateWaits && ready <= atMs);
  }

  const last = decide();
  const waitsFor = last.switch?.waitsFor ?? [];
  const settles = refused.length === 0 && last.action === null && isSettled(secret, root, actors);
  return {
    steps,
    settles,
    refused,
    heldUpBy: waitsFor.map((name) => ({
      name,
      reason: actors.find((actor) => actor.name === name)?.unreachable ?? null,
    })),
    kept: Object.entries(last.retire?.kept ?? {})
      .filter(([, { use }]) => use !== 'IsCurrent')
      .map(([digest, { use, by }]) => ({ root: digest.slice(0, 12), use, by })),
    waves,
  };
}

function isSettled(secret: GatewaySecret | null, root: Root, actors: readonly Actor[]): boolean {
  return (
    secret?.server?.signer === root.keyId &&
    secret.bundle.length === 1 &&
    actors.every(({ held }) => held?.values.at(-1)?.client?.signer === root.keyId)
  );
}

function standingWebhook(webhook: ActingWebhook | null, atMs: number): StandingWebhook | null {
  if (webhook === null) return null;
  const { serial, caBundles } = webhook;
  return {
    resourceVersion: serial,
    serial,
    caBundle: caBundles.at(-1)?.roots ?? [],
    possible: caBundles.filter(({ untilMs }) => untilMs > atMs).map(({ roots }) => roots),
  };
}

/** The one before may be used for a while: nothing reports when an API server takes the new one. */
function writeCaBundle(
  webhook: ActingWebhook | null,
  serial: string,
  roots: readonly Root[],
  othersUntilMs: number,
): void {
  const before = webhook?.caBundles.at(-1);
  if (webhook === null || before === undefined) return;
  before.untilMs = othersUntilMs;
  webhook.serial = serial;
  webhook.caBundles.push({ roots, untilMs: Number.POSITIVE_INFINITY });
}

function fewerCaBundlesAtMs(webhook: ActingWebhook | null, atMs: number): number {
  const ends = (webhook?.caBundles ?? []).map(({ untilMs }) => untilMs).filter((untilMs) => untilMs > atMs);
  return Math.min(...ends, Number.POSITIVE_INFINITY);
}

/** @param bundle what a webhook holds that nobody looked at: the operator keeps it at the gateway's bundle */
function actorFrom(runtime: StagedRuntime, bundle: readonly Root[]): Actor {
  const { held } = runtime;
  const last = held?.values.findLast(({ state }) => state !== 'intended');
  const standing: StandingSecret | null =
    last === undefined || last.serial === 'absent'
      ? null
      : {
          resourceVersion: last.resourceVersion,
          serial: last.state === 'adopted' ? '' : last.serial,
          bundle: last.bundle,
          client: last.client,
        };
  const { name, pair, unreachable } = runtime;
  const webhook = runtime.webhook === undefined ? { serial: last?.serial ?? '', caBundle: bundle } : runtime.webhook;
  // Written out: objects made by a spread were measured three times slower here.
  return {
    name,
    held,
    pair,
    unreachable,
    webhook:
      webhook === null
        ? null
        : { serial: webhook.serial, caBundles: [{ roots: webhook.caBundle, untilMs: Number.POSITIVE_INFINITY }] },
    standing,
    issuing: false,
    asks: false,
    seen: {},
    registered: {},
    wakeAtMs: Number.POSITIVE_INFINITY,
  };
}

/** Every endpoint uses what stands in the Secret. */
function provenJournal(secret: GatewaySecret): GatewayJournal {
  const { resourceVersion } = secret;
  return startJournal(secret, 0, { bundleVersion: resourceVersion, serverVersion: resourceVersion });
}

function written(
  action: Exclude<GatewayAction, { readonly do: 'issueCandidate' | 'readFleet' }>,
  before: GatewaySecret | null,
  resourceVersion: string,
  hosts: readonly string[],
  nowMs: number,
): GatewaySecret {
  if (action.do === 'write') {
    const { bundle, added, closing } = action;
    return { resourceVersion, bundle, added, closing, server: action.server ?? before?.server ?? null };
  }
  const bundle = action.do === 'create' ? [action.root] : action.bundle;
  const added = Object.fromEntries(bundle.map(({ digest }) => [digest, '']));
  return { resourceVersion, bundle, added, closing: [], server: imaginedServer(action.root, hosts, nowMs) };
}

const dayMs = 86_400_000;

function imaginedRoot({ current, nowMs }: Stage): Root {
  const lifetimeMs = current === null ? 365 * dayMs : current.notAfterMs - current.notBeforeMs;
  return {
    digest: newKey,
    keyId: newKey,
    subject: current?.subject ?? newKey,
    subjectKeyId: newKey,
    notBeforeMs: nowMs,
    notAfterMs: nowMs + lifetimeMs,
  };
}

/** As the operator issues it: valid from the start of its root. */
function imaginedServer(root: Root, hosts: readonly string[], nowMs: number): Candidate {
  const { keyId, notBeforeMs, notAfterMs } = root;
  const digest = `server-${keyId}-${nowMs}`;
  return { digest, signer: keyId, notBeforeMs, notAfterMs, dnsNames: hosts, isRoot: false };
}

/** As an issuer signs it: it does not back-date. */
function imaginedPair(name: string, root: Root, nowMs: number): HubPair {
  const { keyId, notAfterMs } = root;
  return { digest: `pair-${name}`, signer: keyId, notBeforeMs: nowMs, notAfterMs, keyMatches: true };
}
