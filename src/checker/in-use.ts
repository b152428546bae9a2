import type { Bundle, Certificate, CertificateReader } from './certificates.ts';
import type { EnvoyInUse, History, SecretVersion } from './history.ts';
import { endOf } from './history.ts';

/** A value that a party may be using from `fromMs` until before `toMs`. `sinceMs` is when it certainly was the newest. */
export interface InUse<T> {
  readonly fromMs: number;
  readonly toMs: number;
  readonly sinceMs: number;
  readonly value: T;
}

/** A pair as a party shows it: the leaf, or what is wrong with it. */
export interface Pair {
  readonly leaf: Certificate | null;
  /** False when the private key beside the certificate is another one's: such a pair can make no handshake. */
  readonly keyMatches: boolean;
}

export interface RuntimeInUse {
  readonly pairs: readonly InUse<Pair>[];
  readonly bundles: readonly InUse<Bundle>[];
  readonly webhookBundles: readonly InUse<readonly Bundle[]>[];
}

export interface EndpointInUse {
  readonly servers: readonly InUse<Pair>[];
  readonly bundles: readonly InUse<Bundle>[];
}

export interface PartiesInUse {
  readonly runtimes: ReadonlyMap<string, RuntimeInUse>;
  readonly endpoints: ReadonlyMap<string, EndpointInUse>;
}

/**
 * What each party may be using, at every instant.
 *
 * Runtime: the version that its folder shows from the swap on, and the one before for `requestGraceMs` more. A runtime
 * without any swap is taken to read its Secret. Its API servers: each `caBundle` from its write, and the one before for
 * `webhookGraceMs` more. Gateway endpoint: between two samples with different values either value, and every version of
 * the gateway Secret written between those two; without samples, the gateway Secret with `gatewayGraceMs`.
 */
export function partiesInUse(history: History, reader: CertificateReader): PartiesInUse {
  const endMs = endOf(history);
  const { requestGraceMs, webhookGraceMs, gatewayGraceMs } = history.settings;

  const runtimes = new Map<string, RuntimeInUse>();
  const swapsOf = groupBy(history.swaps, ({ runtime }) => runtime);
  const secretsOf = groupBy(
    history.secrets.filter(({ role }) => role === 'runtime'),
    ({ runtime, cluster }) => runtime ?? cluster,
  );
  const webhooksOf = groupBy(history.webhooks, ({ cluster }) => cluster);
  for (const runtime of new Set([...swapsOf.keys(), ...secretsOf.keys(), ...webhooksOf.keys()])) {
    const versions = swapsOf.get(runtime) ?? secretsOf.get(runtime) ?? [];
    const pairs = versions.map(({ atMs, data }) => ({ atMs, value: data && pairOf(data, reader) }));
    const bundles = versions.map(({ atMs, data }) => ({ atMs, value: data && reader.bundleOf(data['ca.crt'] ?? '') }));
    const webhookBundles = (webhooksOf.get(runtime) ?? []).map(({ atMs, caBundles }) => ({
      atMs,
      value: caBundles === null ? null : caBundles.map((text) => reader.bundleOf(text)),
    }));
    runtimes.set(runtime, {
      pairs: intervals(pairs, samePair, requestGraceMs, endMs),
      bundles: intervals(bundles, sameBundle, requestGraceMs, endMs),
      webhookBundles: intervals(webhookBundles, sameBundles, webhookGraceMs, endMs),
    });
  }

  const endpoints = new Map<string, EndpointInUse>();
  const gateway = history.secrets.filter(({ role }) => role === 'gateway');
  const writtenBundles = gateway.map(({ atMs, data }) => ({
    atMs,
    value: data && reader.bundleOf(data['ca.crt'] ?? ''),
  }));
  const writtenPairs = gateway.map(({ atMs, data }) => ({ atMs, value: data && pairOf(data, reader) }));
  for (const [endpoint, samples] of groupBy(history.endpoints, ({ endpoint }) => endpoint)) {
    const { envoySettleMs } = history.settings;
    const bundles = samples.map((sample) => bundleSeen(sample, reader));
    const servers = samples.map((sample) => serverSeen(sample, reader));
    endpoints.set(endpoint, {
      bundles: sampledIntervals(bundles, writtenBundles, sameBundle, envoySettleMs, endMs),
      servers: sampledIntervals(servers, writtenPairs, sameLeaf, envoySettleMs, endMs),
    });
  }
  if (endpoints.size === 0 && gateway.length > 0) {
    endpoints.set('gateway Secret', {
      bundles: intervals(writtenBundles, sameBundle, gatewayGraceMs, endMs),
      servers: intervals(writtenPairs, samePair, gatewayGraceMs, endMs),
    });
  }
  return { runtimes, endpoints };
}

/** The newest value that certainly was in place at `atMs`, ignoring what may linger from before. */
export function newestAt<T>(values: readonly InUse<T>[], atMs: number): T | undefined {
  let newest: InUse<T> | undefined;
  for (const value of values) {
    if (value.fromMs > atMs) break;
    newest = value;
  }
  return newest !== undefined && newest.toMs > atMs ? newest.value : undefined;
}

/** The pair that a Secret's or a folder's values make. */
export function pairOf(data: Readonly<Record<string, string>>, reader: CertificateReader): Pair {
  const leaf = reader.certificatesIn(data['tls.crt'] ?? '')[0] ?? null;
  const key = data['tls.key'];
  return { leaf, keyMatches: leaf !== null && key !== undefined && reader.keyIdentity(key) === leaf.keyIdentity };
}

interface Written<T> {
  readonly atMs: number;
  readonly value: T | null;
}

interface Sampled<T> extends Written<T> {
  readonly askedAtMs: number;
  readonly loadedAtMs: number | undefined;
}

function bundleSeen(sample: EnvoyInUse, reader: CertificateReader): Sampled<Bundle> {
  const { atMs, askedAtMs = atMs, caPem, caLoadedAtMs } = sample;
  return { atMs, askedAtMs, value: caPem === null ? null : reader.bundleOf(caPem), loadedAtMs: caLoadedAtMs };
}

function serverSeen(sample: EnvoyInUse, reader: CertificateReader): Sampled<Pair> {
  const { atMs, askedAtMs = atMs, serverPem, serverLoadedAtMs } = sample;
  const leaf = serverPem === null ? null : (reader.certificatesIn(serverPem)[0] ?? null);
  // Envoy takes no pair whose key does not match, and shows no key.
  return {
    atMs,
    askedAtMs,
    value: serverPem === null ? null : { leaf, keyMatches: true },
    loadedAtMs: serverLoadedAtMs,
  };
}

function intervals<T>(
  written: readonly Written<T>[],
  same: (a: T, b: T) => boolean,
  graceMs: number,
  endMs: number,
): InUse<T>[] {
  const result: InUse<T>[] = [];
  for (const run of runsOf(written, same)) {
    const toMs = run.nextAtMs === undefined ? endMs : Math.min(endMs, run.nextAtMs + (run.nextIsGone ? 0 : graceMs));
    if (run.value !== null) result.push({ fromMs: run.firstAtMs, sinceMs: run.firstAtMs, toMs, value: run.value });
  }
  return result;
}

function sampledIntervals<T>(
  samples: readonly Sampled<T>[],
  written: readonly Written<T>[],
  same: (a: T, b: T) => boolean,
  settleMs: number,
  endMs: number,
): InUse<T>[] {
  const result: InUse<T>[] = [];
  const runs = [...runsOf(samples, same)];
  runs.forEach((run, index) => {
    const before = runs[index - 1];
    const next = runs[index + 1];
    // Envoy says when it took a value; without that, anything between the two samples is possible.
    const fromMs =
      before === undefined ? run.firstAtMs : within(run.loadedAtMs ?? before.lastAtMs, before.lastAtMs, run.firstAtMs);
    const toMs =
      next === undefined
        ? endMs
        : within((next.loadedAtMs ?? next.firstAtMs) + settleMs, run.lastAtMs, Math.max(next.firstAtMs, fromMs));
    if (run.value !== null) {
      result.push({ fromMs, toMs: Math.max(toMs, fromMs), sinceMs: run.firstAtMs, value: run.value });
    }
    if (next === undefined || run.value === null || next.value === null) return;
    for (const skipped of writtenBetween(written, run, next, same)) {
      const skippedFromMs = Math.max(skipped.atMs, run.lastAtMs);
      if (skippedFromMs < toMs) {
        result.push({ fromMs: skippedFromMs, toMs, sinceMs: skippedFromMs, value: skipped.value });
      }
    }
  });
  return result.sort((a, b) => a.fromMs - b.fromMs);
}

interface Run<T> {
  readonly value: T | null;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
  readonly nextAtMs: number | undefined;
  readonly nextIsGone: boolean;
  readonly loadedAtMs: number | undefined;
}

function* runsOf<T>(
  seen: readonly (Written<T> & Partial<Sampled<T>>)[],
  same: (a: T, b: T) => boolean,
): Generator<Run<T>> {
  let start = 0;
  for (let index = 1; index <= seen.length; index += 1) {
    const first = seen[start];
    const last = seen[index - 1];
    if (first === undefined || last === undefined) return;
    const next = seen[index];
    if (next !== undefined && sameOrNull(first.value, next.value, same) && first.loadedAtMs === next.loadedAtMs)
      continue;
    yield {
      value: first.value,
      firstAtMs: first.atMs,
      lastAtMs: last.askedAtMs ?? last.atMs,
      nextAtMs: next?.atMs,
      nextIsGone: next?.value === null,
      loadedAtMs: first.loadedAtMs,
    };
    start = index;
  }
}

/** Versions written after the one that `run` shows and before the one that `next` shows: no sample may have met them. */
function writtenBetween<T>(
  written: readonly Written<T>[],
  run: Run<T>,
  next: Run<T>,
  same: (a: T, b: T) => boolean,
): { readonly atMs: number; readonly value: T }[] {
  const from = lastShowing(written, run.value, run.lastAtMs, same);
  // The watch may bring a version a moment after Envoy has it.
  const to = lastShowing(written, next.value, next.firstAtMs + 1_000, same);
  const between: { readonly atMs: number; readonly value: T }[] = [];
  if (from < 0) return between;
  for (const { atMs, value } of written.slice(from + 1, Math.max(to, from + 1))) {
    if (value !== null && !sameOrNull(value, run.value, same) && !sameOrNull(value, next.value, same)) {
      between.push({ atMs, value });
    }
  }
  return between;
}

function lastShowing<T>(
  written: readonly Written<T>[],
  value: T | null,
  atMs: number,
  same: (a: T, b: T) => boolean,
): number {
  let low = 0;
  let high = written.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((written[middle]?.atMs ?? 0) <= atMs) low = middle + 1;
    else high = middle;
  }
  for (let index = low - 1; index >= 0; index -= 1) {
    const version = written[index];
    if (version !== undefined && sameOrNull(version.value, value, same)) return index;
  }
  return -1;
}

function samePair(a: Pair, b: Pair): boolean {
  return a.leaf === b.leaf && a.keyMatches === b.keyMatches;
}

function sameLeaf(a: Pair, b: Pair): boolean {
  return a.leaf === b.leaf;
}

function sameBundle(a: Bundle, b: Bundle): boolean {
  return a.identity === b.identity;
}

function sameBundles(a: readonly Bundle[], b: readonly Bundle[]): boolean {
  return a.length === b.length && a.every((bundle, index) => bundle.identity === b[index]?.identity);
}

function sameOrNull<T>(a: T | null, b: T | null, same: (a: T, b: T) => boolean): boolean {
  return a === null || b === null ? a === b : same(a, b);
}

function within(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}

export function groupBy<T>(values: readonly T[], keyOf: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return groups;
}

/** The versions of each Secret of one role, by runtime. */
export function versionsByRuntime(history: History, role: SecretVersion['role']): Map<string, SecretVersion[]> {
  return groupBy(
    history.secrets.filter((version) => version.role === role),
    ({ runtime, cluster }) => runtime ?? cluster,
  );
}
