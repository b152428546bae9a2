/**
 * Events (`events.k8s.io/v1`), told on change only. They are for people: losing one costs nothing, and none ever holds a
 * controller up.
 *
 * @module
 */
import { randomBytes } from 'node:crypto';
import type { Reason } from '../api/reasons.ts';
import type { Clock } from '../controller/clock.ts';
import type { KubeClient } from '../kubernetes/client.ts';
import { EVENT, type KubeObject } from '../kubernetes/resource.ts';

export interface EventNow {
  readonly type: 'Normal' | 'Warning';
  readonly reason: Reason;
  /** What was done, as one word: `Switch`, `Deliver`. */
  readonly action: string;
  /** A sentence for people. Never a key or token (S4). */
  readonly note: string;
}

export interface EventRecorder {
  /** Tells an event about an object; returns at once. */
  record(regarding: KubeObject, event: EventNow): void;
  /** Events that were dropped since too many waited, or whose write failed. */
  lost(): number;
  /** Waits until what was recorded is written or lost. */
  drain(): Promise<void>;
}

export interface EventRecorderOptions {
  readonly client: Pick<KubeClient, 'create' | 'mergePatch'>;
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
  /** Name of this replica. */
  readonly instance: string;
  readonly signal: AbortSignal;
  readonly onFailure?: (error: unknown) => void;
}

const REPORTING_CONTROLLER = 'keyturn.kyma-project.io/operator';
/** The API server refuses more. */
const MAX_INSTANCE_BYTES = 128;
const MAX_NOTE_LENGTH = 1024;
/** The same event within this time of the last one is a repetition of it. */
const SERIES_MS = 600_000;
/** A repetition is counted at once but written at most so often. */
const SERIES_WRITE_MS = 60_000;
const MAX_KNOWN = 4096;
const MAX_WAITING = 256;

interface Series {
  readonly name: string;
  readonly namespace: string;
  count: number;
  lastMs: number;
  writtenMs: number;
}

export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const { client, clock, signal, onFailure } = options;
  const instance = withinBytes(options.instance, MAX_INSTANCE_BYTES);
  const known = new Map<string, Series>();
  let waiting = 0;
  let lost = 0;
  let last: Promise<void> = Promise.resolve();

  const enqueue = (write: () => Promise<unknown>): void => {
    if (waiting >= MAX_WAITING || signal.aborted) {
      lost += 1;
      return;
    }
    waiting += 1;
    last = last.then(write).then(
      () => {
        waiting -= 1;
      },
      (error: unknown) => {
        waiting -= 1;
        lost += 1;
        onFailure?.(error);
      },
    );
  };

  return {
    record(regarding, event) {
      const nowMs = clock.monotonicMs();
      const key = [regarding.metadata.uid ?? regarding.metadata.name, event.type, event.reason, event.note].join('\n');
      const series = known.get(key);
      if (series !== undefined && nowMs - series.lastMs < SERIES_MS) {
        series.count += 1;
        series.lastMs = nowMs;
        if (nowMs - series.writtenMs < SERIES_WRITE_MS) return;
        series.writtenMs = nowMs;
        const patch = { series: { count: series.count, lastObservedTime: microTime(clock.nowMs()) } };
        enqueue(() => client.mergePatch(EVENT, series, patch, { signal }));
        return;
      }
      const object = eventObject(regarding, event, instance, clock.nowMs());
      const { name, namespace = '' } = object.metadata;
      known.delete(key);
      known.set(key, { name, namespace, count: 1, lastMs: nowMs, writtenMs: nowMs });
      // The oldest entry is forgotten: at worst one event more is told.
      if (known.size > MAX_KNOWN) for (const oldest of known.keys()) if (known.delete(oldest)) break;
      enqueue(() => client.create(EVENT, object, { signal }));
    },
    lost: () => lost,
    drain: () => last,
  };
}

/** The event as the API server takes it. */
function eventObject(regarding: KubeObject, event: EventNow, instance: string, nowMs: number): KubeObject {
  const { name, namespace = 'default', uid, resourceVersion } = regarding.metadata;
  const suffix = `.${randomBytes(8).toString('hex')}`;
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: `${name.slice(0, 253 - suffix.length)}${suffix}`, namespace },
    eventTime: microTime(nowMs),
    type: event.type,
    reason: event.reason,
    action: event.action.slice(0, 128),
    note: event.note.slice(0, MAX_NOTE_LENGTH),
    reportingController: REPORTING_CONTROLLER,
    reportingInstance: instance,
    regarding: {
      apiVersion: regarding.apiVersion,
      kind: regarding.kind,
      namespace,
      name,
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
  };
}

function microTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}

function withinBytes(text: string, most: number): string {
  let cut = text;
  while (Buffer.byteLength(cut) > most) cut = cut.slice(0, -1);
  return cut === '' ? 'keyturn' : cut;
}
