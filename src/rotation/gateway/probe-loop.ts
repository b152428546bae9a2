import { durationMs } from '../../api/duration.ts';
import type { TrustDomainSpec } from '../../api/trust-domain.ts';
import type { Clock } from '../../controller/clock.ts';
import type { KubeClient } from '../../kubernetes/client.ts';
import type { GatewayJournal, ProbeRound } from '../decide/gateway-journal.ts';
import type { KeyId } from '../decide/values.ts';
import { gatewayEndpoints } from './gateway-endpoints.ts';
import type { GatewayReading } from './gateway-resource.ts';
import type { ProbeIdentities } from './probe-identities.ts';
import { type EndpointAnswers, probeRound } from './probe-round.ts';

/** What to ask, as the latest pass of the controller saw it; `null`: nothing is open, so nobody is asked. */
export interface ProbeQuestion {
  readonly spec: TrustDomainSpec;
  readonly gateway: GatewayReading;
  readonly journal: GatewayJournal;
}

export interface ProbeLoopOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly identities: ProbeIdentities;
  readonly question: () => ProbeQuestion | null;
  readonly onRound: (round: ProbeRound, answers: readonly EndpointAnswers[]) => void;
  /** A round that could not be made; the next one may. */
  readonly onFault: (error: unknown) => void;
}

export interface ProbeLoop {
  /** There may be something to ask now. */
  wake(): void;
  stop(): Promise<void>;
}

const requestsAtOnce = 16;

/** Asks the gateway round after round while something is unproven, and rests otherwise. */
export function startProbeLoop(options: ProbeLoopOptions): ProbeLoop {
  const { clock } = options;
  const stopping = new AbortController();
  let wake = (): void => undefined;

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const question = options.question();
      if (question === null) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      try {
        await oneRound(options, question, stopping.signal);
      } catch (error) {
        if (!stopping.signal.aborted) options.onFault(error);
      }
      await clock.delay(durationMs(question.spec.probe.interval), stopping.signal).catch(() => undefined);
    }
  };
  const ended = run();
  return {
    wake: () => wake(),
    async stop() {
      stopping.abort(new Error('The probe loop is stopping'));
      wake();
      await ended;
    },
  };
}

async function oneRound(options: ProbeLoopOptions, question: ProbeQuestion, signal: AbortSignal): Promise<void> {
  const { client, clock, identities, onRound } = options;
  const { spec, gateway, journal } = question;
  const endpoints = await gatewayEndpoints(client, spec, gateway, { signal });
  // Before the first request: an answer says nothing of what was written after it was asked for.
  const startedMs = clock.monotonicMs();
  const answers =
    endpoints.length === 0
      ? []
      : await probeRound(
          {
            endpoints,
            serverName: (gateway.hosts[0] ?? '').replace(/^\*/, 'probe'),
            path: spec.probe.path,
            probePairs: inQuestion(identities, journal),
            throwawayPair: await identities.throwaway(),
            timeoutMs: durationMs(spec.probe.timeout),
            concurrency: requestsAtOnce,
          },
          signal,
        );
  if (!signal.aborted) onRound({ startedMs, endpoints: answers }, answers);
}

/**
 * Pairs of the roots whose acceptance tells something: those of the newest bundle that the oldest possible one lacks. Where
 * that is unknown or nothing was added, all: a refusal of any of them still blocks.
 */
function inQuestion(identities: ProbeIdentities, journal: GatewayJournal): ReturnType<ProbeIdentities['all']> {
  const keysOf = (index: number): readonly KeyId[] =>
    (journal.bundles.at(index)?.value ?? []).map(({ keyId }) => keyId);
  const newest = keysOf(-1);
  const oldest = keysOf(0);
  const known = identities.all().filter(({ keyId }) => newest.includes(keyId));
  const telling = known.filter(({ keyId }) => !oldest.includes(keyId));
  return telling.length > 0 ? telling : known;
}
