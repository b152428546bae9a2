import type { EnvoyInUse } from '../checker/history.ts';
import { redactPrivateKeys } from '../checker/private-keys.ts';
import type { Clock } from '../controller/clock.ts';

/** What an Envoy says of one of its two secrets. */
export interface ActiveSecret {
  readonly pem: string;
  /** RFC 3339; '' where Envoy does not say it. */
  readonly lastUpdated: string;
}

export interface RecordedEndpoint {
  readonly name: string;
  /** Reads Envoy's config_dump now. Throws where it does not answer. */
  readonly configDump: (signal: AbortSignal) => Promise<{
    readonly serverCertificate?: ActiveSecret | undefined;
    readonly bundle?: ActiveSecret | undefined;
  }>;
}

type Dump = Awaited<ReturnType<RecordedEndpoint['configDump']>>;

export interface EndpointSampler {
  /** Samples that were not told yet because nothing had changed; told at once. */
  flush(): void;
  /** The endpoint is not running: it uses nothing until a sample says otherwise. */
  down(): void;
  stop(): Promise<void>;
}

export interface SamplerOptions {
  readonly endpoint: RecordedEndpoint;
  readonly everyMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onSample: (sample: EnvoyInUse) => void;
}

/**
 * Looks into one endpoint again and again and tells the samples around each change: the last with the old value and the
 * first with the new. An endpoint that does not answer is taken to use what it used: it may be paused, not gone.
 */
export function startSampler({ endpoint, everyMs, clock, onSample, ...options }: SamplerOptions): EndpointSampler {
  const ending = new AbortController();
  const signal = AbortSignal.any([options.signal, ending.signal]);
  let told: EnvoyInUse | undefined;
  let untold: EnvoyInUse | undefined;
  let inUse: Dump | undefined;

  const flush = () => {
    if (untold === undefined) return;
    told = untold;
    untold = undefined;
    onSample(told);
  };
  const take = (sample: EnvoyInUse) => {
    if (told !== undefined && sameValues(told, sample)) {
      untold = sample;
      return;
    }
    flush();
    told = sample;
    onSample(sample);
  };
  const look = async () => {
    const askedAtMs = clock.nowMs();
    const dump = await endpoint.configDump(signal);
    if (inUse === undefined || !isRefused(dump, inUse)) inUse = dump;
    const { serverCertificate, bundle } = inUse;
    const caLoadedAtMs = Date.parse(bundle?.lastUpdated ?? '');
    const serverLoadedAtMs = Date.parse(serverCertificate?.lastUpdated ?? '');
    take({
      atMs: clock.nowMs(),
      askedAtMs,
      endpoint: endpoint.name,
      caPem: bundle === undefined ? null : redactPrivateKeys(bundle.pem),
      serverPem: serverCertificate === undefined ? null : redactPrivateKeys(serverCertificate.pem),
      ...(Number.isNaN(caLoadedAtMs) ? {} : { caLoadedAtMs }),
      ...(Number.isNaN(serverLoadedAtMs) ? {} : { serverLoadedAtMs }),
    });
  };
  const loop = async () => {
    while (!signal.aborted) {
      await look().catch(() => undefined);
      await clock.delay(everyMs, signal).catch(() => undefined);
    }
  };
  const running = loop();
  return {
    flush,
    down() {
      inUse = undefined;
      take({ atMs: clock.nowMs(), endpoint: endpoint.name, caPem: null, serverPem: null });
    },
    async stop() {
      ending.abort();
      await running;
      flush();
    },
  };
}

/**
 * Envoy shows what it was told last, also where it has refused that and goes on with what it had; only its time stamps tell.
 * Once it takes either half it uses both as they stand.
 */
function isRefused(dump: Dump, before: Dump): boolean {
  const stamps = ({ serverCertificate, bundle }: Dump) =>
    [serverCertificate?.lastUpdated, bundle?.lastUpdated].join(' ');
  const known = before.bundle?.lastUpdated !== '' && before.serverCertificate?.lastUpdated !== '';
  return known && before.bundle !== undefined && stamps(dump) === stamps(before);
}

function sameValues(a: EnvoyInUse, b: EnvoyInUse): boolean {
  return (
    a.caPem === b.caPem &&
    a.serverPem === b.serverPem &&
    a.caLoadedAtMs === b.caLoadedAtMs &&
    a.serverLoadedAtMs === b.serverLoadedAtMs
  );
}
