import type { Entry, HistorySettings, SecretVersion } from './history.ts';
import type { PlantedPair, PlantedRoot } from './planted-certificates.ts';

export type Bundle = readonly PlantedRoot[] | string;

/** Writes a history by hand for tests: each call is what one party was seen doing, `at` in seconds from the start. */
export class PlantedHistory {
  readonly entries: Entry[] = [];
  readonly #standing = new Map<string, { caPem: string | null; serverPem: string | null }>();
  #version = 0;

  settings(settings: Partial<HistorySettings>): this {
    this.entries.push({ entry: 'settings', ...settings });
    return this;
  }

  root(at: number, root: PlantedRoot): this {
    return this.secret(at, 'root', undefined, { 'ca.crt': root.pem, 'tls.crt': root.pem, 'tls.key': root.keyPem });
  }

  gateway(at: number, bundle: Bundle, server: PlantedPair, annotations: Readonly<Record<string, string>> = {}): this {
    return this.secret(at, 'gateway', undefined, dataOf(bundle, server), annotations);
  }

  /** The endpoint showed its old values 100 ms before, and these now. */
  endpoint(at: number, endpoint: string, bundle: Bundle | null, server: PlantedPair | null): this {
    const before = this.#standing.get(endpoint);
    if (before !== undefined) this.entries.push({ entry: 'endpoint', atMs: ms(at) - 100, endpoint, ...before });
    const now = { caPem: bundle === null ? null : textOf(bundle), serverPem: server?.crt ?? null };
    this.#standing.set(endpoint, now);
    this.entries.push({ entry: 'endpoint', atMs: ms(at), endpoint, ...now });
    return this;
  }

  issued(at: number, runtime: string, pair: PlantedPair): this {
    return this.secret(at, 'hub-client', runtime, { 'tls.crt': pair.crt, 'tls.key': pair.key });
  }

  /** Written to the runtime's Secret at once, shown in its folder `swapAfter` seconds later. */
  delivered(at: number, runtime: string, bundle: Bundle, pair: PlantedPair, swapAfter = 1): this {
    const data = dataOf(bundle, pair);
    this.secret(at, 'runtime', runtime, data);
    const resourceVersion = `${this.#version}`;
    this.entries.push({ entry: 'swap', atMs: ms(at + swapAfter), runtime, resourceVersion, data });
    return this;
  }

  caBundle(at: number, runtime: string, ...bundles: readonly Bundle[]): this {
    const caBundles = bundles.map(textOf);
    this.entries.push({ entry: 'webhook', atMs: ms(at), cluster: runtime, name: 'skr-webhook', caBundles });
    return this;
  }

  secret(
    at: number,
    role: SecretVersion['role'],
    runtime: string | undefined,
    data: SecretVersion['data'],
    annotations: Readonly<Record<string, string>> = {},
  ): this {
    this.#version += 1;
    const place = {
      root: { namespace: 'istio-system', name: 'klm-watcher' },
      gateway: { namespace: 'istio-system', name: 'klm-istio-gateway' },
      'hub-client': { namespace: 'istio-system', name: `${runtime}-webhook-tls` },
      runtime: { namespace: 'kyma-system', name: 'skr-webhook-tls' },
      issuer: { namespace: 'istio-system', name: 'klm-watcher-serving-next' },
      other: { namespace: 'istio-system', name: 'another' },
    }[role];
    this.entries.push({
      entry: 'secret',
      atMs: ms(at),
      role,
      ...(runtime !== undefined && { runtime }),
      cluster: role === 'runtime' && runtime !== undefined ? runtime : 'hub',
      ...place,
      resourceVersion: `${this.#version}`,
      uid: `${role}-${runtime ?? 'hub'}`,
      data,
      annotations,
    });
    return this;
  }

  also(entry: Entry): this {
    this.entries.push(entry);
    return this;
  }
}

/** Seconds of a planted history as its epoch milliseconds. */
export function ms(seconds: number): number {
  return Date.UTC(2026, 0, 1) + Math.round(seconds * 1_000);
}

function dataOf(bundle: Bundle, pair: PlantedPair): Readonly<Record<string, string>> {
  return { 'ca.crt': textOf(bundle), 'tls.crt': pair.crt, 'tls.key': pair.key };
}

function textOf(bundle: Bundle): string {
  return typeof bundle === 'string' ? bundle : bundle.map(({ pem }) => `${pem.trim()}\n`).join('');
}
