import { encodedObject } from '../forms/encoded.ts';
import { partialMetadata } from '../forms/partial-metadata.ts';
import { includeObject, table } from '../forms/table.ts';
import { fieldError } from '../kinds/field-errors.ts';
import { apiVersionOfKind, served } from '../kinds/kind.ts';
import type { ApiObject } from '../object-fields.ts';
import { expired, invalidOptions, type StatusBody, StatusError } from '../status.ts';
import type { Change } from '../storage/storage.ts';
import { collectionOf, type ResourceCall } from './call.ts';
import { type ObjectSelection, selectionOf } from './selection.ts';

/** Takes the lines of one watch. */
export interface WatchSink {
  send(line: string): void;
  end(): void;
  /** Called once when the connection is gone, also where `end` made it so. */
  onClosed(listener: () => void): void;
  /** False while this event is to be lost on the way (a planted fault). */
  delivers(type: string): boolean;
}

/** Real servers do so about once a minute. */
const BOOKMARK_EVERY_MS = 60_000;
/** A watch with no time-out of its own: real servers take 30 to 60 minutes. */
const LONGEST_WATCH_MS = 1_800_000;

/**
 * Starts a watch. Errors that a real server sends as an answer are thrown; the one that it sends as an event (410) comes
 * as an event.
 */
export function prepareWatch(call: ResourceCall): (sink: WatchSink) => void {
  const plan = planOf(call);
  return (sink) => run(call, plan, sink);
}

interface Plan {
  readonly selection: ObjectSelection;
  /** The present objects come first. */
  readonly initial: boolean;
  /** A bookmark marks their end. */
  readonly marksInitialEnd: boolean;
  readonly from: number;
  readonly bookmarks: boolean;
  readonly timeoutMs: number;
}

function planOf(call: ResourceCall): Plan {
  const { query, cluster } = call;
  const asked = query.get('resourceVersion') ?? '';
  const from = Number(asked);
  if (asked !== '' && !(Number.isSafeInteger(from) && from >= 0)) {
    const why = `strconv.ParseUint: parsing "${asked}": invalid syntax`;
    throw new StatusError(500, '', `resourceVersion: Invalid value: "${asked}": ${why}`);
  }
  const sendInitial = query.get('sendInitialEvents');
  const match = query.get('resourceVersionMatch') ?? '';
  if (sendInitial === null && match !== '') {
    throw optionError(
      'resourceVersionMatch',
      'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
    );
  }
  if (sendInitial !== null && match !== 'NotOlderThan') {
    throw optionError(
      'resourceVersionMatch',
      'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
    );
  }
  const bookmarks = isTrue(query.get('allowWatchBookmarks'));
  const timeoutSeconds = Number(query.get('timeoutSeconds') ?? 0);
  const streams = sendInitial !== null && isTrue(sendInitial);
  const fromNow = sendInitial !== null && !streams && asked === '';
  return {
    selection: selectionOf(call),
    initial: streams || (sendInitial === null && (asked === '' || asked === '0')),
    marksInitialEnd: streams && bookmarks,
    from: asked === '' || asked === '0' || fromNow || streams ? cluster.storage.revision() : from,
    bookmarks,
    timeoutMs: timeoutSeconds > 0 ? timeoutSeconds * 1000 : LONGEST_WATCH_MS,
  };
}

function run(call: ResourceCall, plan: Plan, sink: WatchSink): void {
  const { cluster } = call;
  const collection = collectionOf(call);
  const { namespace, matches } = plan.selection;
  const write = eventWriter(call, sink);
  const missed = plan.initial ? [] : collection.since(plan.from);
  if (missed === undefined) {
    const { status } = expired(`too old resource version: ${plan.from} (${collection.oldestRevision()})`);
    write.status('ERROR', status);
    sink.end();
    return;
  }
  if (plan.initial) {
    for (const object of collection.list(namespace)) if (matches(object)) write.object('ADDED', object);
    if (plan.marksInitialEnd) write.bookmark(cluster.storage.revision(), true);
  }
  const follow = (change: Change): void => {
    if (namespace !== undefined && !change.key.startsWith(`${namespace}/`)) return;
    const now = change.type !== 'DELETED' && matches(change.object);
    const before = change.previous !== undefined && matches(change.previous);
    // What leaves the selection looks deleted, and what enters it new.
    if (now) write.object(before ? 'MODIFIED' : 'ADDED', change.object);
    else if (before) write.object('DELETED', change.type === 'DELETED' ? change.object : lastSeen(change));
  };
  for (const change of missed) follow(change);
  const unsubscribe = collection.subscribe(follow);
  let timer = cluster.clock.setTimer(BOOKMARK_EVERY_MS, tick);
  function tick(): void {
    if (plan.bookmarks) write.bookmark(cluster.storage.revision(), false);
    timer = cluster.clock.setTimer(BOOKMARK_EVERY_MS, tick);
  }
  const deadline = cluster.clock.setTimer(plan.timeoutMs, () => {
    // A last bookmark lets the next watch go on from here, however quiet the kind has been.
    if (plan.bookmarks) write.bookmark(cluster.storage.revision(), false);
    sink.end();
  });
  sink.onClosed(() => {
    unsubscribe();
    timer.cancel();
    deadline.cancel();
  });
}

/** The state that was selected last, under the revision of the change that took it out. */
function lastSeen({ previous, object, revision }: Change): ApiObject {
  const seen = previous ?? object;
  return { ...seen, metadata: { ...seen.metadata, resourceVersion: String(revision) } };
}

function eventWriter(call: ResourceCall, sink: WatchSink) {
  const { kind, form, cluster } = call;
  let tables = 0;
  const object = (type: string, stored: ApiObject): void => {
    if (!sink.delivers(type)) return;
    sink.send(`{"type":"${type}","object":${text(stored)}}\n`);
  };
  const text = (stored: ApiObject): string => {
    if (form.as === 'PartialObjectMetadata') return JSON.stringify(partialMetadata(served(kind, stored)));
    if (form.as !== 'Table') return encodedObject(kind, stored);
    tables += 1;
    const options = {
      include: includeObject(call.query),
      nowMs: cluster.clock.nowMs(),
      withoutColumns: tables > 1,
    };
    const metadata = { resourceVersion: stored.metadata.resourceVersion };
    return JSON.stringify(table(kind, [served(kind, stored)], metadata, options));
  };
  return {
    object,
    status(type: string, status: StatusBody): void {
      sink.send(`${JSON.stringify({ type, object: status })}\n`);
    },
    bookmark(revision: number, initialEnd: boolean): void {
      if (!sink.delivers('BOOKMARK')) return;
      const metadata = {
        resourceVersion: String(revision),
        ...(initialEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}),
      };
      const type =
        form.as === 'PartialObjectMetadata'
          ? { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' }
          : { kind: kind.kind, apiVersion: apiVersionOfKind(kind), ...kind.rules.blank };
      sink.send(`${JSON.stringify({ type: 'BOOKMARK', object: { ...type, metadata } })}\n`);
    },
  };
}

function isTrue(text: string | null): boolean {
  return text !== null && text !== '0' && text !== 'false';
}

function optionError(field: string, detail: string) {
  return invalidOptions('ListOptions', [fieldError.forbidden(field, detail)]);
}
