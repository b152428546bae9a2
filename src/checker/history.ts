/**
 * What was seen while a scenario ran, as plain values. Every time is in epoch milliseconds on one clock, the recorder's.
 * No private key stands in a history: in its place stands `spki-sha256:HEX`, the digest of its public half (see private-keys.ts).
 */
export interface History {
  readonly settings: HistorySettings;
  readonly secrets: readonly SecretVersion[];
  readonly webhooks: readonly WebhookVersion[];
  readonly swaps: readonly ProjectionSwap[];
  readonly endpoints: readonly EnvoyInUse[];
  readonly texts: readonly TextSeen[];
  readonly totals: readonly ClientTotals[];
  readonly marks: readonly Mark[];
  readonly known: readonly KnownCause[];
  /** What could not be seen. A history with a gap proves nothing, so a scenario with one has failed. */
  readonly gaps: readonly Gap[];
}

/** How long after a change the value before it may still be in use. */
export interface HistorySettings {
  /** A client reads its files for each request; one under way at the swap may go on with the old ones. */
  readonly requestGraceMs: number;
  /** After a write of a webhook configuration its API server may use the old and the new one. */
  readonly webhookGraceMs: number;
  /** Between Envoy's own time stamp of a secret and the moment when all its workers use it. */
  readonly envoySettleMs: number;
  /** Stands in for the endpoints where no Envoy was sampled: the gateway may use a replaced Secret this long. */
  readonly gatewayGraceMs: number;
  /** The host that the server certificate must cover; not checked when absent. */
  readonly gatewayHost?: string;
  /** `serverCertificate: root`: the gateway Secret then holds the root's own key, as KLM does. */
  readonly gatewayPresentsRoot: boolean;
}

export const defaultSettings: HistorySettings = {
  requestGraceMs: 10_000,
  webhookGraceMs: 1_000,
  envoySettleMs: 20,
  gatewayGraceMs: 10_000,
  gatewayPresentsRoot: false,
};

/**
 * What a Secret is in the rotation: the root's (`istio-system/klm-watcher`), the gateway's (`istio-system/klm-istio-gateway`),
 * a runtime's in the hub as its issuer writes it (`istio-system/<kyma>-webhook-tls`), or the one in the runtime
 * (`kyma-system/skr-webhook-tls`). `issuer` is where cert-manager keeps a key that it has made until there is a certificate
 * for it, also that of a root whose Certificate it looks after. `other` is only searched for private keys of a root.
 */
export type SecretRole = 'root' | 'gateway' | 'hub-client' | 'runtime' | 'issuer' | 'other';

export interface SecretVersion {
  readonly atMs: number;
  readonly role: SecretRole;
  /** The runtime concerned, for `hub-client` and `runtime`. */
  readonly runtime?: string;
  /** `hub` or the runtime's name. */
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
  readonly resourceVersion: string;
  readonly uid: string;
  /** Decoded values by key (PEM text; base64 where a value is no text); null when the Secret was deleted. */
  readonly data: Readonly<Record<string, string>> | null;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface WebhookVersion {
  readonly atMs: number;
  readonly cluster: string;
  readonly name: string;
  readonly resourceVersion?: string;
  /** One PEM text per webhook of the configuration, '' when it has none; null when the configuration was deleted. */
  readonly caBundles: readonly string[] | null;
}

/** The folder that a runtime's client reads now shows this version; null: the client has stopped, and uses nothing. */
export interface ProjectionSwap {
  readonly atMs: number;
  readonly runtime: string;
  readonly resourceVersion: string;
  readonly data: Readonly<Record<string, string>> | null;
}

/** One look into a gateway endpoint's config_dump. Null: it had none, or the endpoint was not running. */
export interface EnvoyInUse {
  /** When the answer was there. */
  readonly atMs: number;
  /** When it was asked for: from then on, the value seen may have been replaced already. */
  readonly askedAtMs?: number;
  readonly endpoint: string;
  readonly caPem: string | null;
  readonly serverPem: string | null;
  /** Envoy's `last_updated` of each, where it says one: narrows the time in which either value may be in use. */
  readonly caLoadedAtMs?: number;
  readonly serverLoadedAtMs?: number;
}

/** A status, event or other text that an object showed, for S4. */
export interface TextSeen {
  readonly atMs: number;
  readonly cluster: string;
  readonly where: string;
  readonly text: string;
}

/** Totals of a runtime's client since its first credential. */
export interface ClientTotals {
  readonly atMs: number;
  readonly runtime: string;
  readonly requests: number;
  readonly failed: number;
}

/** What the scenario did. `rekey`, `renew` and `return` name a rotation; `leave` says that a runtime's Secrets may go. */
export interface Mark {
  readonly atMs: number;
  readonly kind: 'rekey' | 'renew' | 'return' | 'join' | 'leave' | (string & {});
  readonly rootDigest?: string;
  readonly runtime?: string;
}

/** A cause that the design calls knowingly broken; without a runtime it concerns all of them. */
export interface KnownCause {
  readonly runtime?: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly cause: string;
}

export interface Gap {
  readonly atMs: number;
  readonly cluster: string;
  readonly what: string;
  readonly detail: string;
}

/** One observation, as a line of a history file holds it. */
export type Entry =
  | ({ readonly entry: 'settings' } & Partial<HistorySettings>)
  | ({ readonly entry: 'secret' } & SecretVersion)
  | ({ readonly entry: 'webhook' } & WebhookVersion)
  | ({ readonly entry: 'swap' } & ProjectionSwap)
  | ({ readonly entry: 'endpoint' } & EnvoyInUse)
  | ({ readonly entry: 'text' } & TextSeen)
  | ({ readonly entry: 'totals' } & ClientTotals)
  | ({ readonly entry: 'mark' } & Mark)
  | ({ readonly entry: 'known' } & KnownCause)
  | ({ readonly entry: 'gap' } & Gap);

/** Puts entries of any order into a history, each list by time; entries of one instant keep their order. */
export function historyOf(entries: Iterable<Entry>): History {
  let settings = defaultSettings;
  const secrets: SecretVersion[] = [];
  const webhooks: WebhookVersion[] = [];
  const swaps: ProjectionSwap[] = [];
  const endpoints: EnvoyInUse[] = [];
  const texts: TextSeen[] = [];
  const totals: ClientTotals[] = [];
  const marks: Mark[] = [];
  const known: KnownCause[] = [];
  const gaps: Gap[] = [];
  for (const entry of entries) {
    switch (entry.entry) {
      case 'settings': {
        const { entry: _, ...given } = entry;
        settings = { ...settings, ...given };
        break;
      }
      case 'secret':
        secrets.push(entry);
        break;
      case 'webhook':
        webhooks.push(entry);
        break;
      case 'swap':
        swaps.push(entry);
        break;
      case 'endpoint':
        endpoints.push(entry);
        break;
      case 'text':
        texts.push(entry);
        break;
      case 'totals':
        totals.push(entry);
        break;
      case 'mark':
        marks.push(entry);
        break;
      case 'known':
        known.push(entry);
        break;
      case 'gap':
        gaps.push(entry);
        break;
    }
  }
  for (const list of [secrets, webhooks, swaps, endpoints, texts, totals, marks, gaps]) {
    (list as { readonly atMs: number }[]).sort((a, b) => a.atMs - b.atMs);
  }
  return { settings, secrets, webhooks, swaps, endpoints, texts, totals, marks, known, gaps };
}

/** The end of the history: just after the last thing seen, so that a value which came last is judged too. */
export function endOf(history: History): number {
  let lastMs = 0;
  const { secrets, webhooks, swaps, endpoints, texts, totals, marks } = history;
  for (const list of [secrets, webhooks, swaps, endpoints, texts, totals, marks]) {
    lastMs = Math.max(lastMs, list.at(-1)?.atMs ?? 0);
  }
  return lastMs + 1;
}
