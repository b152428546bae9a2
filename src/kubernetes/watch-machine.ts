import { type Backoff, backoffMs } from '../controller/backoff.ts';
import type { KubeObject } from './resource.ts';

/**
 * A watch as a state machine: what the server says and what happens to the connection go in; what to tell the
 * reader and what to do next come out. No I/O, no clock, no randomness: all of it is an input.
 *
 *              stream refused                    last page
 *   streaming ----------------> listing ------------------------+
 *      |  ^                       ^                             v
 *      |  +---- 410, an hour -----+----------------------- watching --+
 *      |                                                    ^   ^     | closed: again from
 *      +------- bookmark: initial events end ---------------+   +-----+ its last version
 *
 * Every failure goes through a pause that grows, and a watch that was short-lived counts as a failure, so that no
 * behaviour of a server makes a storm of requests (B41).
 */
export type WatchState =
  /** The present objects arrive as the beginning of a watch. */
  | (Memory & { readonly phase: 'streaming' })
  /** The present objects are fetched in pages, from servers that do not stream them. */
  | (Memory & { readonly phase: 'listing'; readonly continue: string | undefined })
  | (Memory & {
      readonly phase: 'watching';
      readonly resourceVersion: string;
      readonly listedAtMs: number;
      readonly openedAtMs: number;
      /** Whether this connection has said anything. */
      readonly heard: boolean;
    });

interface Memory {
  /** In a row. */
  readonly failures: number;
  /** Streams of the present objects that never came to their end, in a row; infinite where they are unknown. */
  readonly brokenStreams: number;
}

/** What the reader learns. Between `Init` and `InitDone` the objects replace all that were known before. */
export type WatchEvent<T extends KubeObject = KubeObject> =
  | { readonly type: 'Init' }
  | { readonly type: 'InitApply'; readonly object: T }
  | { readonly type: 'InitDone' }
  | { readonly type: 'Apply'; readonly object: T }
  | { readonly type: 'Delete'; readonly object: T };

/** What happened. */
export type WatchInput =
  | { readonly kind: 'opened' }
  | { readonly kind: 'message'; readonly type: string; readonly object: KubeObject }
  | {
      readonly kind: 'page';
      readonly items: readonly KubeObject[];
      readonly resourceVersion: string;
      readonly continue: string | undefined;
    }
  /** The connection ended: by the server, by a fault, or by us after it had been silent for too long. */
  | { readonly kind: 'closed'; readonly how: 'ended' | 'broken' | 'silent' }
  /** The request failed; the status is undefined where no answer came. */
  | { readonly kind: 'refused'; readonly status: number | undefined };

/** What to do next: wait, then send this. */
export interface WatchCommand {
  readonly pauseMs: number;
  readonly request:
    | { readonly kind: 'stream' }
    | { readonly kind: 'page'; readonly continue: string | undefined }
    | { readonly kind: 'watch'; readonly resourceVersion: string };
}

export interface WatchContext {
  /** Monotonic. */
  readonly nowMs: number;
  /** In [0, 1). */
  readonly random: number;
  /** After this time everything is read anew, at the next reconnect. */
  readonly relistAfterMs: number;
  /** Between attempts that fail. @default 500 to 30,000 */
  readonly backoff?: Backoff;
}

export interface WatchStep {
  readonly state: WatchState;
  readonly events: readonly WatchEvent[];
  /** Undefined: go on reading. */
  readonly command: WatchCommand | undefined;
}

const USUAL_BACKOFF: Backoff = { baseMs: 500, maxMs: 30_000 };
/** A connection that lived shorter counts as a failure, whatever it said. */
const SHORT_LIFE_MS = 5_000;
/** A healthy server sends a bookmark about once a minute; a longer life without any word is suspicious. */
const SILENT_LIFE_MS = 90_000;
/** After so many streams that broke off too early, pages are used instead. */
const STREAM_ATTEMPTS = 2;
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

export function beginWatch(): WatchStep {
  return fromScratch({ failures: 0, brokenStreams: 0 }, 0);
}

export function stepWatch(state: WatchState, input: WatchInput, context: WatchContext): WatchStep {
  switch (state.phase) {
    case 'streaming':
      return stepStreaming(state, input, context);
    case 'listing':
      return stepListing(state, input, context);
    case 'watching':
      return stepWatching(state, input, context);
  }
}

function stepStreaming(
  state: WatchState & { readonly phase: 'streaming' },
  input: WatchInput,
  context: WatchContext,
): WatchStep {
  switch (input.kind) {
    case 'opened':
      return goOn(state, { type: 'Init' });
    case 'message': {
      const { type, object } = input;
      if (type === 'ADDED' || type === 'MODIFIED') return goOn(state, { type: 'InitApply', object });
      if (type === 'DELETED') return goOn(state, { type: 'Delete', object });
      if (type === 'BOOKMARK' && object.metadata.annotations?.[INITIAL_EVENTS_END] === 'true') {
        return {
          state: watching({ ...state, brokenStreams: 0 }, object.metadata.resourceVersion ?? '', context),
          events: [{ type: 'InitDone' }],
          command: undefined,
        };
      }
      return type === 'ERROR' ? fail(state, context) : goOn(state);
    }
    case 'closed':
      return fail({ ...state, brokenStreams: state.brokenStreams + 1 }, context);
    case 'refused':
      // "sendInitialEvents is forbidden", "resourceVersionMatch is forbidden for watch": an older server.
      if (input.status === 400 || input.status === 422) {
        return fromScratch({ ...state, brokenStreams: Number.POSITIVE_INFINITY }, 0);
      }
      // A server that waits for its own cache to catch up lets a stream wait, too, but still answers a list.
      return fail({ ...state, brokenStreams: state.brokenStreams + 1 }, context);
    default:
      return goOn(state);
  }
}

function stepListing(
  state: WatchState & { readonly phase: 'listing' },
  input: WatchInput,
  context: WatchContext,
): WatchStep {
  if (input.kind !== 'page') return input.kind === 'opened' ? goOn(state) : fail(state, context);
  const events: WatchEvent[] = state.continue === undefined ? [{ type: 'Init' }] : [];
  for (const object of input.items) events.push({ type: 'InitApply', object });
  if (input.continue !== undefined) {
    const request = { kind: 'page', continue: input.continue } as const;
    return { state: { ...state, continue: input.continue }, events, command: { pauseMs: 0, request } };
  }
  events.push({ type: 'InitDone' });
  const brokenStreams = Number.isFinite(state.brokenStreams) ? 0 : state.brokenStreams;
  return { ...resume(watching({ ...state, brokenStreams }, input.resourceVersion, context), 0), events };
}

function stepWatching(
  state: WatchState & { readonly phase: 'watching' },
  input: WatchInput,
  context: WatchContext,
): WatchStep {
  switch (input.kind) {
    case 'opened':
      return goOn({ ...state, openedAtMs: context.nowMs, heard: false });
    case 'message': {
      const { type, object } = input;
      // Our place in its history cannot be trusted any more, and 410 says so outright.
      if (type === 'ERROR') {
        const longLived = context.nowMs - state.openedAtMs >= SHORT_LIFE_MS;
        return startOver(longLived ? { ...state, failures: 0 } : state, context);
      }
      const next = { ...state, heard: true, resourceVersion: object.metadata.resourceVersion ?? state.resourceVersion };
      if (type === 'ADDED' || type === 'MODIFIED') return goOn(next, { type: 'Apply', object });
      return type === 'DELETED' ? goOn(next, { type: 'Delete', object }) : goOn(next);
    }
    case 'closed':
      return afterLife(state, input.how, context);
    case 'refused':
      // 400 and 422: the version is none that this server knows, as after a restore of its data.
      if (input.status === 410 || input.status === 400 || input.status === 422) return startOver(state, context);
      return resume(failed(state), pauseAfter(state.failures + 1, context));
    default:
      return goOn(state);
  }
}

function afterLife(
  state: WatchState & { readonly phase: 'watching' },
  how: 'ended' | 'broken' | 'silent',
  context: WatchContext,
): WatchStep {
  const livedMs = context.nowMs - state.openedAtMs;
  if (context.nowMs - state.listedAtMs >= context.relistAfterMs) return fromScratch({ ...state, failures: 0 }, 0);
  // A version from the future (data restored from a backup) makes the server say nothing at all, for ever.
  if (!state.heard && livedMs >= SILENT_LIFE_MS) return fromScratch({ ...state, failures: 0 }, 0);
  if (livedMs < SHORT_LIFE_MS) return resume(failed(state), pauseAfter(state.failures + 1, context));
  // When an API server goes down all its watches break at once; the first pause spreads their return.
  const pauseMs = how === 'broken' ? pauseAfter(1, context) : 0;
  return resume({ ...state, failures: 0 }, pauseMs);
}

/** Reads everything anew: at once the first time, after a pause when it happens again. */
function startOver(state: WatchState & { readonly phase: 'watching' }, context: WatchContext): WatchStep {
  const failures = state.failures + 1;
  return fromScratch({ ...state, failures }, failures === 1 ? 0 : pauseAfter(failures - 1, context));
}

function fail(state: WatchState, context: WatchContext): WatchStep {
  return fromScratch(failed(state), pauseAfter(state.failures + 1, context));
}

function failed<S extends WatchState>(state: S): S {
  return { ...state, failures: state.failures + 1 };
}

function fromScratch({ failures, brokenStreams }: Memory, pauseMs: number): WatchStep {
  if (brokenStreams < STREAM_ATTEMPTS) {
    const state = { phase: 'streaming', failures, brokenStreams } as const;
    return { state, events: [], command: { pauseMs, request: { kind: 'stream' } } };
  }
  const state = { phase: 'listing', failures, brokenStreams, continue: undefined } as const;
  return { state, events: [], command: { pauseMs, request: { kind: 'page', continue: undefined } } };
}

function watching({ failures, brokenStreams }: Memory, resourceVersion: string, { nowMs }: WatchContext) {
  return {
    phase: 'watching',
    failures,
    brokenStreams,
    resourceVersion,
    listedAtMs: nowMs,
    openedAtMs: nowMs,
    heard: true,
  } as const;
}

function resume(state: WatchState & { readonly phase: 'watching' }, pauseMs: number): WatchStep {
  const { resourceVersion } = state;
  return { state, events: [], command: { pauseMs, request: { kind: 'watch', resourceVersion } } };
}

function goOn(state: WatchState, event?: WatchEvent): WatchStep {
  return { state, events: event === undefined ? [] : [event], command: undefined };
}

function pauseAfter(failures: number, { backoff = USUAL_BACKOFF, random }: WatchContext): number {
  return backoffMs(backoff, failures, random);
}
