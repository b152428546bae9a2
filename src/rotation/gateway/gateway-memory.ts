import type { Clock } from '../../controller/clock.ts';
import type { SecretObject } from '../../kubernetes/resource.ts';
import type { Bundle } from '../../pki/bundle.ts';
import type { Certificate } from '../../pki/certificate.ts';
import type { GatewayPlan } from '../decide/gateway.ts';
import { type GatewayJournal, noteSecret, type StoredProof, startJournal } from '../decide/gateway-journal.ts';
import type { Digest, GatewaySecret } from '../decide/values.ts';
import type { GatewaySecretReading } from './observe-gateway-secret.ts';

/** The gateway Secret as this process saw it last. */
export interface LastSeen {
  readonly object: SecretObject;
  readonly secret: GatewaySecret;
  readonly bundle: Bundle;
}

/** What one process remembers of one gateway. Lost with the process, and then had anew (S6). */
export interface GatewayMemory {
  journal(): GatewayJournal | null;
  replaceJournal(journal: GatewayJournal): void;
  lastSeen(): LastSeen | null;
  /** Takes in a live read. */
  noteRead(reading: GatewaySecretReading, proof: StoredProof | null): void;
  /** Takes in the answer to this process's own write, which stood on `baseVersion`. */
  noteWritten(reading: GatewaySecretReading, baseVersion: string): void;
  /** The outcome of a write is not known: what was known of the endpoints is void. */
  forget(): void;
  unprovenForMs(runtime: string): number;
  /** Takes in whose proof is awaited. A wait begins when it is first seen, and ends with the proof. */
  noteAwaited(plan: GatewayPlan): void;
  /** Certificates by digest, of everything that was seen. */
  certificates(others: Bundle): ReadonlyMap<Digest, Certificate>;
}

export function gatewayMemory(clock: Clock): GatewayMemory {
  let journal: GatewayJournal | null = null;
  let lastSeen: LastSeen | null = null;
  /** Whether the version that the journal ends with stands there as we would write it. */
  let canonical = false;
  const awaitedSince = new Map<string, number>();

  const remember = (reading: GatewaySecretReading): void => {
    if (reading.state !== 'readable') return;
    lastSeen = { object: reading.object, secret: reading.secret, bundle: reading.bundle };
    canonical = reading.canonical;
  };

  return {
    journal: () => journal,
    replaceJournal: (next) => {
      journal = next;
    },
    lastSeen: () => lastSeen,
    noteRead(reading, proof) {
      if (reading.state !== 'readable') {
        journal = null;
        return;
      }
      const nowMs = clock.monotonicMs();
      journal =
        journal === null
          ? startJournal(reading.secret, nowMs, reading.canonical ? proof : null)
          : noteSecret(journal, reading.secret, nowMs, false);
      remember(reading);
    },
    noteWritten(reading, baseVersion) {
      if (reading.state !== 'readable') {
        journal = null;
        return;
      }
      const nowMs = clock.monotonicMs();
      // What stood there in other bytes was read in another way by each endpoint: not one of the values that are known.
      const ours = journal !== null && journal.version === baseVersion && canonical;
      journal =
        journal === null ? startJournal(reading.secret, nowMs, null) : noteSecret(journal, reading.secret, nowMs, ours);
      remember(reading);
    },
    forget() {
      journal = null;
    },
    unprovenForMs(runtime) {
      const since = awaitedSince.get(runtime);
      return since === undefined ? 0 : clock.monotonicMs() - since;
    },
    noteAwaited({ switch: verdict }) {
      const awaited = new Set([...(verdict?.waitsFor ?? []), ...(verdict?.breaks ?? [])]);
      for (const name of awaitedSince.keys()) if (!awaited.has(name)) awaitedSince.delete(name);
      for (const name of awaited) if (!awaitedSince.has(name)) awaitedSince.set(name, clock.monotonicMs());
    },
    certificates(others) {
      return new Map([...(lastSeen?.bundle ?? []), ...others].map((certificate) => [certificate.digest, certificate]));
    },
  };
}
