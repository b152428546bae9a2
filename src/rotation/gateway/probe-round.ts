import type { SecureContext } from 'node:tls';
import { type ProbeAnswer, type ProbePair, probeEndpoint, probeIdentity } from './probe.ts';

/** What is asked of every endpoint in one round. */
export interface RoundRequest {
  readonly endpoints: readonly { readonly host: string; readonly port: number }[];
  /** The Gateway's host. */
  readonly serverName: string;
  readonly path: string;
  /** One pair for each root whose acceptance is in question. */
  readonly probePairs: readonly { readonly keyId: string; readonly pair: ProbePair }[];
  /** A pair of an authority that nobody knows: a gateway that answers it verifies nothing, and its other answers are void. */
  readonly throwawayPair: ProbePair;
  /** For one request; a request that ends without a word is made twice. */
  readonly timeoutMs: number;
  /** Requests at once, over all endpoints. */
  readonly concurrency: number;
}

/** One endpoint's answers, by the key of the root whose certificate was shown. */
export interface EndpointAnswers {
  readonly host: string;
  readonly port: number;
  readonly accepted: readonly string[];
  readonly refused: readonly string[];
  readonly unanswered: readonly string[];
  readonly throwaway: ProbeAnswer['outcome'];
  /** Digests of the server certificates met: one normally, more while the endpoint changes, none if it never shook hands. */
  readonly serverDigests: readonly string[];
  /** Why requests were refused or not answered, each reason once; for a condition's message. */
  readonly reasons: readonly string[];
}

/** Asks every endpoint with every pair. Read the clock before calling: an answer says nothing of what was written since. */
export async function probeRound(request: RoundRequest, signal: AbortSignal): Promise<readonly EndpointAnswers[]> {
  const identities: readonly { keyId: string | null; identity: SecureContext }[] = [
    { keyId: null, identity: probeIdentity(request.throwawayPair) },
    ...request.probePairs.map(({ keyId, pair }) => ({ keyId, identity: probeIdentity(pair) })),
  ];
  const answers = request.endpoints.map(() => new Map<string | null, ProbeAnswer>());
  const tasks = request.endpoints.flatMap((endpoint, index) =>
    identities.map(({ keyId, identity }) => async (): Promise<void> => {
      const target = { ...endpoint, serverName: request.serverName, path: request.path };
      answers[index]?.set(keyId, await probeEndpoint(target, identity, request.timeoutMs, signal));
    }),
  );
  await inTurn(tasks, request.concurrency);
  return request.endpoints.map((endpoint, index) => summarise(endpoint, answers[index] ?? new Map()));
}

function summarise(
  endpoint: { readonly host: string; readonly port: number },
  answers: ReadonlyMap<string | null, ProbeAnswer>,
): EndpointAnswers {
  const keysWith = (outcome: ProbeAnswer['outcome']): readonly string[] =>
    [...answers].flatMap(([keyId, answer]) => (keyId !== null && answer.outcome === outcome ? [keyId] : []));
  const all = [...answers.values()];
  const digests = all.flatMap((answer) => (answer.serverDigest === null ? [] : [answer.serverDigest]));
  const reasons = [...answers].flatMap(([keyId, answer]) =>
    keyId === null || answer.outcome === 'accepted' ? [] : [answer.why],
  );
  return {
    host: endpoint.host,
    port: endpoint.port,
    accepted: keysWith('accepted'),
    refused: keysWith('refused'),
    unanswered: keysWith('unanswered'),
    throwaway: answers.get(null)?.outcome ?? 'unanswered',
    serverDigests: [...new Set(digests)],
    reasons: [...new Set(reasons)],
  };
}

/** Runs the tasks, `width` at a time. The first that fails fails all; the others end by the same signal. */
async function inTurn(tasks: readonly (() => Promise<void>)[], width: number): Promise<void> {
  const waiting = [...tasks];
  const worker = async (): Promise<void> => {
    for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) await task();
  };
  await Promise.all(Array.from({ length: Math.max(1, width) }, worker));
}
