/**
 * Endpoints that load what is written to the gateway Secret, each in its own time, and the journal of a process that probes
 * them. What an endpoint really uses is followed apart.
 *
 * The promises that a delay stands for are kept here to the last millisecond: an endpoint has loaded a value one delay after
 * the process first read it, unless it is slow, and then a probe shows it.
 *
 * @module
 */
import {
  type EndpointAnswer,
  everyEndpointAccepts,
  type GatewayJournal,
  noteRound,
  noteSecret,
  startJournal,
} from '../../src/rotation/decide/gateway-journal.ts';
import type { GatewaySecret, KeyId, Root, ServerLeaf } from '../../src/rotation/decide/values.ts';
import { delays, frozen, gatewaySecret, root, serverLeaf, nowMs as wallMs } from './build.ts';

/** Something that happens. Durations in milliseconds. */
export type GatewayHappening =
  | { readonly does: 'time passes'; readonly ms: number }
  | { readonly does: 'a root enters' }
  | { readonly does: 'a root is renewed'; readonly which: number }
  | { readonly does: 'a root leaves'; readonly which: number }
  | { readonly does: 'a root that left comes back'; readonly which: number }
  | { readonly does: 'the server switches'; readonly which: number }
  | { readonly does: 'somebody else writes' }
  | { readonly does: 'an endpoint loads'; readonly which: number; readonly what: 'bundle' | 'server' }
  | { readonly does: 'an endpoint may be slow'; readonly which: number }
  /** The endpoints are asked with certificates of these keys; `mute`: this one does not answer. */
  | { readonly does: 'a round'; readonly mute: number | null; readonly keys: 'all' | 'some' }
  | { readonly does: 'the operator starts again'; readonly withProof: boolean };

interface Version {
  readonly secret: GatewaySecret;
  /** When the process first read it, on its clock; `null`: before it began. */
  readonly sinceMs: number | null;
}

interface Endpoint {
  bundleAt: number;
  serverAt: number;
  slow: boolean;
}

export interface GatewayLife {
  step(happening: GatewayHappening): void;
  /** What is wrong now; `null`: the journal covers what every endpoint uses. */
  fault(): string | null;
  journal(): GatewayJournal;
}

export function startGatewayLife(): GatewayLife {
  let nowMs = 0;
  let count = 0;
  /** Until then an endpoint may still use what was before this process looked. */
  let unknownUntilMs = { bundle: 0, server: 0 };
  const first = gatewaySecret([root('r0')], serverLeaf('l0', 'r0'), { resourceVersion: 'v0' });
  const log: Version[] = [{ secret: first, sinceMs: 0 }];
  const endpoints: readonly Endpoint[] = [0, 1].map(() => ({ bundleAt: 0, serverAt: 0, slow: false }));
  const left: Root[] = [];
  const proof = (): { bundleVersion: string; serverVersion: string } => {
    const known = <V>(possible: readonly { readonly value: V | null }[]): boolean =>
      possible.length === 1 && possible[0]?.value !== null;
    const { resourceVersion } = last().secret;
    return {
      bundleVersion: known(journal.bundles) ? resourceVersion : 'none',
      serverVersion: known(journal.servers) ? resourceVersion : 'none',
    };
  };
  let journal: GatewayJournal = frozen(startJournal(first, 0, { bundleVersion: 'v0', serverVersion: 'v0' }));

  const next = (): number => {
    count += 1;
    return count;
  };
  const last = (): Version => log[log.length - 1] as Version;
  const at = (index: number): GatewaySecret => (log[index] as Version).secret;
  const write = (change: Partial<GatewaySecret>, ours = true): void => {
    const secret = frozen({ ...last().secret, ...change, resourceVersion: `v${next()}` });
    if (!ours) forget({ bundle: false, server: false });
    log.push({ secret, sinceMs: nowMs });
    journal = frozen(noteSecret(journal, secret, nowMs, ours));
  };
  /** What stood before this process looked anew has no clock of its own any more. */
  function forget(known: { readonly bundle: boolean; readonly server: boolean }): void {
    log.forEach((version, index) => {
      log[index] = { ...version, sinceMs: null };
    });
    const untilMs = nowMs + delays.propagationDelayMs;
    unknownUntilMs = { bundle: known.bundle ? 0 : untilMs, server: known.server ? 0 : untilMs };
  }

  /** Moves endpoints on to what they must have loaded by now. */
  function keepPromises(keys: readonly KeyId[], mute: number | null): void {
    log.forEach(({ secret, sinceMs }, index) => {
      if (sinceMs === null) return;
      endpoints.forEach((endpoint, which) => {
        const answers = mute !== which;
        const using = at(endpoint.bundleAt).bundle;
        const shows = keys.some((key) => holds(secret.bundle, key) && !holds(using, key));
        const presents = at(endpoint.serverAt).server?.digest !== secret.server?.digest;
        const hesitates = endpoint.slow && answers;
        if (isDue('bundle', sinceMs) && !(hesitates && shows)) endpoint.bundleAt = Math.max(endpoint.bundleAt, index);
        if (isDue('server', sinceMs) && !(hesitates && presents))
          endpoint.serverAt = Math.max(endpoint.serverAt, index);
      });
    });
  }

  /** Where it is not known what was before, no observation counts until that has been outlasted (S6). */
  function isDue(what: 'bundle' | 'server', sinceMs: number): boolean {
    return nowMs >= Math.max(sinceMs + delays.probeDelayMs, unknownUntilMs[what]);
  }

  function round(mute: number | null, keys: readonly KeyId[]): void {
    keepPromises(keys, mute);
    const answers = endpoints.map((endpoint, which): EndpointAnswer => {
      const using = at(endpoint.bundleAt).bundle;
      const silent = mute === which;
      return {
        accepted: silent ? [] : keys.filter((key) => holds(using, key)),
        refused: silent ? [] : keys.filter((key) => !holds(using, key)),
        unanswered: silent ? keys : [],
        throwaway: silent ? 'unanswered' : 'refused',
        serverDigests: silent ? [] : [at(endpoint.serverAt).server?.digest ?? ''],
      };
    });
    journal = frozen(noteRound(journal, frozen({ startedMs: nowMs, endpoints: answers }), delays, wallMs));
  }

  function step(happening: GatewayHappening): void {
    const { bundle } = last().secret;
    switch (happening.does) {
      case 'time passes':
        nowMs += happening.ms;
        return;
      case 'a root enters':
        write({ bundle: [root(`r${next()}`), ...bundle] });
        return;
      case 'a root is renewed': {
        const old = bundle[happening.which % bundle.length] as Root;
        write({ bundle: [root(`r${next()}`, { keyId: old.keyId, notAfterMs: old.notAfterMs + 1 }), ...bundle] });
        return;
      }
      case 'a root leaves': {
        const gone = bundle[happening.which % bundle.length] as Root;
        if (bundle.length > 1) left.push(gone);
        if (bundle.length > 1) write({ bundle: bundle.filter((one) => one !== gone) });
        return;
      }
      case 'a root that left comes back': {
        const back = left[happening.which % Math.max(1, left.length)];
        if (back !== undefined && !bundle.includes(back)) write({ bundle: [back, ...bundle] });
        return;
      }
      case 'the server switches': {
        const signer = bundle[happening.which % bundle.length] as Root;
        write({ server: serverLeaf(`l${next()}`, signer.keyId) });
        return;
      }
      case 'somebody else writes':
        write({ bundle: [root(`r${next()}`), ...bundle] }, false);
        return;
      case 'an endpoint loads':
        load(endpoints[happening.which % endpoints.length] as Endpoint, happening.what);
        return;
      case 'an endpoint may be slow':
        (endpoints[happening.which % endpoints.length] as Endpoint).slow = true;
        return;
      case 'a round': {
        const keys = [...new Set([...bundle, ...left].map(({ keyId }) => keyId))];
        round(happening.mute, happening.keys === 'all' ? keys : keys.slice(0, 1));
        return;
      }
      case 'the operator starts again': {
        const stored = happening.withProof ? proof() : null;
        const { resourceVersion } = last().secret;
        forget({
          bundle: stored?.bundleVersion === resourceVersion,
          server: stored?.serverVersion === resourceVersion,
        });
        log[log.length - 1] = { secret: last().secret, sinceMs: nowMs };
        journal = frozen(startJournal(last().secret, nowMs, stored));
      }
    }
  }

  function load(endpoint: Endpoint, what: 'bundle' | 'server'): void {
    if (what === 'bundle') endpoint.bundleAt = Math.min(endpoint.bundleAt + 1, log.length - 1);
    else endpoint.serverAt = Math.min(endpoint.serverAt + 1, log.length - 1);
  }

  function fault(): string | null {
    for (const { bundleAt, serverAt } of endpoints) {
      const using = at(bundleAt).bundle;
      const known = journal.bundles.some(({ value }) => value === null || digests(value) === digests(using));
      if (!known) return `an endpoint uses ${digests(using)}, not in ${told(journal)}`;
      const server: ServerLeaf | null = at(serverAt).server;
      const presented = journal.servers.some(
        ({ value }) => value === null || (value !== 'none' && value.digest === server?.digest),
      );
      if (!presented) return `an endpoint presents ${server?.digest}`;
      for (const { keyId } of last().secret.bundle) {
        if (everyEndpointAccepts(journal, keyId, wallMs) && !holds(using, keyId))
          return `${keyId} is trusted too early`;
      }
    }
    return null;
  }

  return { step, fault, journal: () => journal };
}

function holds(bundle: readonly Root[], key: KeyId): boolean {
  return bundle.some(({ keyId }) => keyId === key);
}

function digests(bundle: readonly Root[]): string {
  return bundle.map(({ digest }) => digest).join('+');
}

function told({ bundles }: GatewayJournal): string {
  return bundles.map(({ value }) => (value === null ? '?' : digests(value))).join(' ');
}
