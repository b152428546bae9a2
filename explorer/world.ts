/**
 * The small world that the explorer walks: a gateway with one endpoint, a few runtimes, an issuer, an operator. What is
 * decided in it is decided by the production functions; what is modelled here is only what surrounds them.
 *
 * Time is not counted. A delay is a promise about the world (every reader has moved on by then), so it has passed exactly
 * when that is true: the explorer thereby tries the shortest delay that keeps the promise, which is the most dangerous one.
 *
 * @module
 */
import type { Candidate } from '../src/rotation/decide/candidate.ts';
import type { GatewayWrite } from '../src/rotation/decide/gateway.ts';
import type { GatewayJournal, StoredProof } from '../src/rotation/decide/gateway-journal.ts';
import type { StandingSecret } from '../src/rotation/decide/holdings.ts';
import type { HubPair } from '../src/rotation/decide/may-deliver-pair.ts';
import type { RuntimeAction } from '../src/rotation/decide/runtime.ts';
import type {
  GatewaySecret,
  HeldClient,
  Holdings,
  Root,
  ServerLeaf,
  TrustedRoot,
} from '../src/rotation/decide/values.ts';

/** A value of the gateway Secret that the endpoint has still to load, or has loaded last. */
export interface GatewayVersion {
  /** resourceVersions under which it stood: a write that only sets a mark changes the version, not the value. */
  readonly names: readonly string[];
  readonly bundle: readonly Root[];
  readonly server: ServerLeaf;
}

/** A request whose answer was lost and which may still arrive. */
export type LateWrite =
  | { readonly to: 'gateway'; readonly action: GatewayWrite }
  | {
      readonly to: 'runtime';
      readonly runtime: number;
      readonly pending: NonNullable<RuntimeState['pending']>;
    };

/** A webhook configuration and what the API servers use of it. */
export interface WebhookState {
  readonly version: string;
  readonly serial: string;
  /** The operator's process saw every value of the log come; `false`: it knows only the standing one. */
  readonly watched: boolean;
  /** Written values from the one in use to the standing one. */
  readonly log: readonly { readonly version: string; readonly roots: readonly Root[] }[];
}

export interface RuntimeState {
  readonly kyma: 'absent' | 'present' | 'deleted';
  readonly reachable: boolean;
  /** Written values of its Secret from the one in use to the standing one; empty: there is none. */
  readonly log: readonly StandingSecret[];
  /** `null`: it has no webhook. */
  readonly webhook: WebhookState | null;
  /** `null`: no certificate was asked for. */
  readonly certificate: { readonly issuing: number | null; readonly pair: HubPair | null } | null;
  /** Its `RuntimeTrust`. A lost status reads as lost. */
  readonly record: { readonly version: string; readonly held: Holdings } | null;
  /** Registered deliveries of which nothing can arrive any more. */
  readonly fenced: readonly string[];
  /** What the operator's process is about to do. */
  readonly pending: {
    readonly action: RuntimeAction;
    /** The client certificate that a write of the Secret carries. */
    readonly client: HeldClient | null;
    readonly recordVersion: string;
  } | null;
  /** The operator's process remembers: it comes first, and its last look found no place at the issuer. */
  readonly ahead: boolean;
  /** A cluster read that is being used although it is old. */
  readonly stale: { readonly secret: StandingSecret | null } | null;
}

export interface World {
  readonly counter: number;
  readonly maxLag: number;
  readonly rootIndex: number;
  /** Keys that a person has tainted. */
  readonly tainted: readonly string[];
  readonly secret: GatewaySecret;
  readonly candidate: Candidate | null;
  readonly versions: readonly GatewayVersion[];
  /** Index into `versions` that the endpoint uses, bundle and server certificate apart. */
  readonly bundleAt: number;
  readonly serverAt: number;
  /** The endpoint may take longer than the delay that was guessed for it. */
  readonly slow: boolean;
  /** The operator was started again; only a planted mistake looks at it. */
  readonly restarted: boolean;
  readonly status: { readonly trusted: readonly TrustedRoot[]; readonly proof: StoredProof | null };
  readonly runtimes: readonly RuntimeState[];
  readonly late: readonly LateWrite[];
  // What the operator's process remembers.
  readonly journal: GatewayJournal | null;
  readonly probeKeys: readonly string[];
  /** A switch or a retirement, decided from a live read and not yet written. */
  readonly gatewayPending: GatewayWrite | null;
}

/** What a search explores. */
export interface Setting {
  readonly name: string;
  /** The root Secret's contents, one after the other. */
  readonly roots: readonly Root[];
  readonly runtimes: number;
  /** Runtimes that are there from the start; the others may join. */
  readonly present: number;
  /** Of those, how many have a Secret and no record, as KLM leaves them; from the last on. */
  readonly adopted?: number;
  /** Runtimes that have a webhook configuration, from the first on. */
  readonly webhooks: number;
  /** The second root is the current one from the start: everybody has its bundle, and the last runtime a pair of it. */
  readonly midway?: boolean;
  /** Keys that are tainted from the start. */
  readonly tainted?: readonly string[];
  /** Issuances at once. */
  readonly waveSize: number;
  /** Values that a reader may be behind; one that is further behind is forced on. */
  readonly maxLag: number;
  readonly faults: readonly Fault[];
  /** Faults on one path at most. */
  readonly maxFaults: number;
}

/** What may go wrong. */
export type Fault =
  | 'lost write'
  | 'late write'
  | 'lost answer'
  | 'crash'
  | 'statuses lost'
  | 'unreachable'
  | 'join'
  | 'delete'
  | 'own renewal'
  | 'stale read'
  | 'taint'
  | 'slow gateway';

const FAR_MS = 1e12;

/** A root certificate by name: `root('b2', 'b')` is a renewal of the key `b`. */
export function root(digest: string, keyId = digest, order = 0): Root {
  return { digest, keyId, subject: 'ca', subjectKeyId: keyId, notBeforeMs: 0, notAfterMs: FAR_MS + order };
}

export function serverLeaf(digest: string, signer: string): ServerLeaf {
  return { digest, signer, notBeforeMs: 0, notAfterMs: FAR_MS, dnsNames: ['gateway'], isRoot: false };
}

export function hubPair(digest: string, signer: string): HubPair {
  return { digest, signer, notBeforeMs: 0, notAfterMs: FAR_MS, keyMatches: true };
}

/** Everything on the first root, or midway to the second, nothing under way, the operator about to start. */
export function startWorld(setting: Setting): World {
  const rootIndex = setting.midway === true ? 1 : 0;
  const first = setting.roots[0] as Root;
  const current = setting.roots[rootIndex] as Root;
  const server = serverLeaf('l0', first.keyId);
  const bundle = setting.roots.slice(0, rootIndex + 1).reverse();
  const added = Object.fromEntries(bundle.map(({ digest }) => [digest, 'v_']));
  const secret: GatewaySecret = {
    resourceVersion: 'v0',
    bundle,
    added,
    server,
    closing: [],
  };
  const runtimes = Array.from({ length: setting.runtimes }, (_, index): RuntimeState => {
    const absent: RuntimeState = {
      kyma: 'absent',
      reachable: true,
      log: [],
      webhook: null,
      certificate: null,
      record: null,
      fenced: [],
      pending: null,
      ahead: false,
      stale: null,
    };
    if (index >= setting.present) return absent;
    const pair = hubPair(`c${index}`, (index === setting.present - 1 ? current : first).keyId);
    const client = { digest: pair.digest, signer: pair.signer, notAfterMs: pair.notAfterMs };
    const value = { serial: `s${index}`, bundle: bundle.map(({ digest }) => digest), client };
    return {
      ...absent,
      kyma: 'present',
      log: [{ ...value, resourceVersion: `v1${index}` }],
      webhook:
        index < setting.webhooks
          ? {
              version: `v2${index}`,
              serial: value.serial,
              watched: true,
              log: [{ version: `v2${index}`, roots: bundle }],
            }
          : null,
      certificate: { issuing: null, pair },
      record:
        index >= setting.present - (setting.adopted ?? 0)
          ? null
          : {
              version: `v3${index}`,
              held: { beyond: 'nothing', values: [{ ...value, state: 'confirmed', resourceVersion: `v1${index}` }] },
            },
    };
  });
  return {
    counter: 100,
    maxLag: setting.maxLag,
    rootIndex,
    tainted: setting.tainted ?? [],
    secret,
    candidate: null,
    versions: [{ names: ['v0'], bundle, server }],
    bundleAt: 0,
    serverAt: 0,
    slow: false,
    restarted: false,
    status: {
      trusted: bundle.map(({ digest }) => ({ digest, added: 'v_' })),
      proof: { bundleVersion: 'v0', serverVersion: 'v0' },
    },
    runtimes,
    late: [],
    journal: null,
    probeKeys: [],
    gatewayPending: null,
  };
}
