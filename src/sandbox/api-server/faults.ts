import type { RequestSeen } from './request-seen.ts';

/** Which requests a fault meets. All given fields must fit; nothing given means every request. */
export interface RequestFilter {
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; one or several. */
  readonly verb?: string | readonly string[];
  readonly group?: string;
  /** Plural, as in the path. */
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly username?: string;
  readonly matches?: (request: RequestOnItsWay) => boolean;
}

/** What is known of a request before its answer. */
export type RequestOnItsWay = Omit<RequestSeen, 'code' | 'durationMs'>;

export interface FaultAnswer {
  readonly code: number;
  /** @default the usual reason of the code */
  readonly reason?: string;
  readonly message?: string;
  readonly retryAfterSeconds?: number;
}

export interface FaultOptions {
  /** Ends by itself after so many requests. @default never */
  readonly times?: number;
  /** `after`: the request is carried out, and only its answer is replaced, late or lost. @default 'before' */
  readonly when?: 'before' | 'after';
}

export interface Fault {
  /** Requests, or events, that it has met so far. */
  readonly hits: number;
  /** Ends it. What it holds back goes on from where it was held. */
  remove(): void;
}

/** Faults on demand. Each holds until it is removed, and several may hold at once. */
export interface Faults {
  latency(ms: number, filter?: RequestFilter, options?: FaultOptions): Fault;
  answer(answer: FaultAnswer, filter?: RequestFilter, options?: FaultOptions): Fault;
  /** Requests are accepted and not answered, and open watches stand still, as with a stopped process. */
  silence(filter?: RequestFilter, options?: FaultOptions): Fault;
  /** Connections are cut in place of an answer. */
  disconnect(filter?: RequestFilter, options?: FaultOptions): Fault;
  /** Events of watches, also of those that are open, are left out without a sign. Bookmarks come. */
  loseWatchEvents(filter?: RequestFilter, options?: { readonly times?: number }): Fault;
  /** Old versions are forgotten: watches and pages that ask for them are answered 410. */
  forgetHistory(): void;
  /** Removes all of them. */
  clear(): void;
}

export type FaultEffect =
  | { readonly kind: 'latency'; readonly ms: number }
  | { readonly kind: 'answer'; readonly answer: FaultAnswer }
  | { readonly kind: 'silence'; readonly lifted: Promise<void> }
  | { readonly kind: 'disconnect' }
  | { readonly kind: 'lost-events' };

/** The server's side of {@link Faults}. */
export interface FaultPlan extends Faults {
  /** Effects on this request at this moment, in the order they were planted; counts them as hits. */
  strike(request: RequestOnItsWay, when: 'before' | 'after'): readonly FaultEffect[];
  /** Ends with the silence that an open watch stands in; undefined where there is none. */
  silenceOn(watch: RequestOnItsWay): Promise<void> | undefined;
  /** Whether this watch's next event is to be lost; counts it. */
  losesEvent(watch: RequestOnItsWay): boolean;
}

interface Planted {
  readonly effect: FaultEffect;
  readonly filter: RequestFilter;
  readonly when: 'before' | 'after';
  readonly lift: () => void;
  left: number;
  hits: number;
}

export function createFaults(forgetHistory: () => void): FaultPlan {
  const planted = new Set<Planted>();

  const plant = (
    effect: FaultEffect,
    filter: RequestFilter = {},
    options: FaultOptions = {},
    lift: () => void = () => undefined,
  ): Fault => {
    const one: Planted = {
      effect,
      filter,
      lift,
      when: options.when ?? 'before',
      left: options.times ?? Number.POSITIVE_INFINITY,
      hits: 0,
    };
    planted.add(one);
    return {
      get hits() {
        return one.hits;
      },
      remove() {
        planted.delete(one);
        lift();
      },
    };
  };
  const hit = (one: Planted): void => {
    one.hits += 1;
    one.left -= 1;
  };
  const meets = (one: Planted, request: RequestOnItsWay): boolean => one.left > 0 && fits(one.filter, request);
  const silenceOn = (request: RequestOnItsWay): Promise<void> | undefined => {
    for (const one of planted) if (one.effect.kind === 'silence' && meets(one, request)) return one.effect.lifted;
    return undefined;
  };

  return {
    latency: (ms, filter, options) => plant({ kind: 'latency', ms }, filter, options),
    answer: (answer, filter, options) => plant({ kind: 'answer', answer }, filter, options),
    silence(filter, options) {
      let lift: () => void = () => undefined;
      const lifted = new Promise<void>((resolve) => {
        lift = resolve;
      });
      return plant({ kind: 'silence', lifted }, filter, options, lift);
    },
    disconnect: (filter, options) => plant({ kind: 'disconnect' }, filter, options),
    loseWatchEvents: (filter, options) => plant({ kind: 'lost-events' }, filter, options),
    forgetHistory,
    clear() {
      const lifts = [...planted].map(({ lift }) => lift);
      planted.clear();
      for (const lift of lifts) lift();
    },
    strike(request, when) {
      const effects: FaultEffect[] = [];
      for (const one of planted) {
        if (one.effect.kind === 'lost-events' || one.when !== when || !meets(one, request)) continue;
        hit(one);
        effects.push(one.effect);
      }
      return effects;
    },
    silenceOn,
    losesEvent(watch) {
      for (const one of planted) {
        if (one.effect.kind !== 'lost-events' || !meets(one, watch)) continue;
        hit(one);
        return true;
      }
      return false;
    },
  };
}

function fits(filter: RequestFilter, request: RequestOnItsWay): boolean {
  const { verb, matches } = filter;
  if (verb !== undefined && !(typeof verb === 'string' ? verb === request.verb : verb.includes(request.verb)))
    return false;
  const same = (['group', 'resource', 'subresource', 'namespace', 'name', 'username'] as const).every(
    (field) => filter[field] === undefined || filter[field] === request[field],
  );
  return same && (matches?.(request) ?? true);
}
