import type { Backoff } from '../controller/backoff.ts';
import { type Clock, systemClock } from '../controller/clock.ts';
import type { StreamAnswer } from './answer.ts';
import type { KubeClient } from './client.ts';
import { KubeError } from './errors.ts';
import { createLineSplitter } from './line-splitter.ts';
import { type Selection, watch as watchRequest } from './request.ts';
import type { KubeObject, Resource } from './resource.ts';
import {
  beginWatch,
  stepWatch,
  type WatchCommand,
  type WatchEvent,
  type WatchInput,
  type WatchState,
  type WatchStep,
} from './watch-machine.ts';

export type { WatchEvent } from './watch-machine.ts';

export interface WatchRunOptions<T extends KubeObject> {
  readonly client: KubeClient;
  readonly resource: Resource;
  readonly selection?: Selection;
  /** Called in order. What it throws ends the watch and comes out of {@link runWatch}: an event would be lost. */
  readonly onEvent: (event: WatchEvent<T>) => void;
  /** Called whenever a request fails or a connection ends otherwise than by the server. */
  readonly onProblem?: (problem: WatchProblem) => void;
  /** Called when the server has accepted a request. */
  readonly onConnected?: () => void;
  /** Ends the watch. */
  readonly signal: AbortSignal;
  readonly clock?: Clock;
  /** In [0, 1). */
  readonly random?: () => number;
  /** After about this time the server ends each connection. @default 120 */
  readonly timeoutSeconds?: number;
  /** A connection that has said nothing for this time beyond it is taken for dead. @default 5000 */
  readonly idleMarginMs?: number;
  /** @default one hour */
  readonly relistAfterMs?: number;
  /** Between attempts that fail. @default 500 to 30,000 */
  readonly backoff?: Backoff;
  /** Objects per page where pages are needed. @default 500 */
  readonly pageSize?: number;
}

export interface WatchProblem {
  readonly phase: WatchState['phase'];
  /** In a row. */
  readonly failures: number;
  readonly error: unknown;
}

/** How long a stream of the present objects may pause; they come in one go. */
const STREAMING_IDLE_MS = 30_000;

/** Keeps a watch going until the signal aborts; all faults of server and net are met inside. The rules are in `watch-machine.ts`. */
export async function runWatch<T extends KubeObject>(options: WatchRunOptions<T>): Promise<void> {
  const { client, resource, selection = {}, onEvent, onProblem, signal } = options;
  const { clock = systemClock, random = Math.random, pageSize = 500 } = options;
  const relistAfterMs = (options.relistAfterMs ?? 3_600_000) * (1 + random() / 10);
  const backoff = options.backoff === undefined ? {} : { backoff: options.backoff };
  let { state, command }: WatchStep = beginWatch();
  let fault: { readonly error: unknown } | undefined;

  const step = (input: WatchInput, error?: unknown): void => {
    const before = state;
    const next = stepWatch(state, input, { nowMs: clock.monotonicMs(), random: random(), relistAfterMs, ...backoff });
    state = next.state;
    command = next.command;
    try {
      for (const event of next.events) onEvent(event as WatchEvent<T>);
    } catch (error) {
      fault = { error };
    }
    if (input.kind === 'opened' || input.kind === 'page') options.onConnected?.();
    const problem = input.kind === 'refused' || (input.kind === 'closed' && input.how !== 'ended');
    if (problem && !signal.aborted) onProblem?.({ phase: before.phase, failures: state.failures, error });
  };

  const fetchPage = async (token: string | undefined): Promise<void> => {
    const page = { limit: pageSize, ...(token === undefined ? {} : { continue: token }) };
    try {
      step({ kind: 'page', ...(await client.page(resource, selection, page, { signal })) });
    } catch (error) {
      step(refusal(error), error);
    }
  };

  const follow = async (request: Exclude<WatchCommand['request'], { readonly kind: 'page' }>): Promise<void> => {
    // Spread over time, so that the watches of a program do not all reconnect in one moment.
    const timeoutSeconds = Math.round((options.timeoutSeconds ?? 120) * (5 / 6 + random() / 3));
    const place =
      request.kind === 'stream' ? { sendInitialEvents: true } : { resourceVersion: request.resourceVersion };
    let answer: StreamAnswer;
    try {
      answer = await client.stream(watchRequest(resource, selection, { ...place, timeoutSeconds }), { signal });
    } catch (error) {
      step(refusal(error), error);
      return;
    }
    command = undefined;
    step({ kind: 'opened' });
    if (fault !== undefined) return answer.close();
    const idleMs = timeoutSeconds * 1000 + (options.idleMarginMs ?? 5_000);
    const ending = await readLines(answer, clock, idleLimit(idleMs), (line) => {
      step(messageFrom(line));
      return command === undefined && fault === undefined;
    });
    if (command === undefined && fault === undefined && !signal.aborted)
      step({ kind: 'closed', how: ending.how }, ending.error);
  };
  const idleLimit = (idleMs: number) => () =>
    state.phase === 'streaming' ? Math.min(idleMs, STREAMING_IDLE_MS) : idleMs;

  while (!signal.aborted && command !== undefined) {
    const { pauseMs, request }: WatchCommand = command;
    if (pauseMs > 0) await clock.delay(pauseMs, signal).catch(() => undefined);
    if (signal.aborted) return;
    if (request.kind === 'page') await fetchPage(request.continue);
    else await follow(request);
    if (fault !== undefined) throw fault.error;
  }
}

interface Ending {
  readonly how: 'ended' | 'broken' | 'silent';
  readonly error?: unknown;
}

/** Hands out lines until the stream ends, `onLine` says false, or nothing has come for the idle limit. */
async function readLines(
  answer: StreamAnswer,
  clock: Clock,
  idleMs: () => number,
  onLine: (line: string) => boolean,
): Promise<Ending> {
  const split = createLineSplitter();
  let heardAtMs = clock.monotonicMs();
  let silent = false;
  // A dead TCP connection gives no error for a quarter of an hour, and a proxy may keep one open for ever.
  const check = (): void => {
    const leftMs = heardAtMs + idleMs() - clock.monotonicMs();
    if (leftMs > 0) {
      timer = clock.setTimer(leftMs, check);
      return;
    }
    silent = true;
    answer.close();
  };
  let timer = clock.setTimer(idleMs(), check);
  try {
    for await (const chunk of answer.chunks) {
      heardAtMs = clock.monotonicMs();
      for (const line of split(chunk)) if (!onLine(line)) return { how: 'ended' };
    }
    return { how: 'ended' };
  } catch (error) {
    return { how: silent ? 'silent' : 'broken', error };
  } finally {
    timer.cancel();
    answer.close();
  }
}

/** @throws {SyntaxError} for a line that is no event, which breaks the connection and is met by a back-off */
function messageFrom(line: string): WatchInput {
  const { type, object } = JSON.parse(line) as { readonly type?: unknown; readonly object?: unknown };
  if (typeof type !== 'string' || typeof object !== 'object' || object === null) {
    throw new SyntaxError('A line of the watch is no event');
  }
  // The object of an ERROR is a Status, whose metadata may be missing.
  return { kind: 'message', type, object: { metadata: { name: '' }, ...object } as KubeObject };
}

function refusal(error: unknown): WatchInput {
  return { kind: 'refused', status: error instanceof KubeError ? error.status : undefined };
}
