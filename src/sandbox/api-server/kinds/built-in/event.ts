import type { Json, JsonObject } from '../../json.ts';
import { type ApiObject, objectAt, textAt, without } from '../../object-fields.ts';
import { badRequest, type FieldError } from '../../status.ts';
import { fieldError } from '../field-errors.ts';
import { isMicroTime, microTimeDefect } from '../micro-time.ts';
import { qualifiedNameDefect } from '../names.ts';
import type { OwnRules } from './own-rules.ts';

/** Names of one field in `events.k8s.io/v1` and in the core group, which is the form that is stored. */
const FIELD_PAIRS: readonly (readonly [string, string])[] = [
  ['regarding', 'involvedObject'],
  ['note', 'message'],
  ['reportingController', 'reportingComponent'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
];

/** What the core form always shows, set or not. */
const CORE_BLANKS: JsonObject = {
  source: {},
  firstTimestamp: null,
  lastTimestamp: null,
  reportingComponent: '',
  reportingInstance: '',
};

/** Fields that `events.k8s.io/v1` insists on, and where they are stored. */
const REQUIRED: readonly (readonly [string, string])[] = [
  ['reportingController', 'reportingComponent'],
  ['reportingInstance', 'reportingInstance'],
  ['action', 'action'],
  ['reason', 'reason'],
];

export const coreEventRules: OwnRules = {
  blank: { involvedObject: {}, eventTime: null, ...CORE_BLANKS },
  createsOnReplace: true,
  withDefaults: withReadableTimes,
  validate: namespaceErrors,
  toStored: (event) => ({ ...CORE_BLANKS, eventTime: null, ...event }),
  fromStored: (event) => event,
};

export const eventRules: OwnRules = {
  blank: {
    eventTime: null,
    regarding: {},
    deprecatedSource: {},
    deprecatedFirstTimestamp: null,
    deprecatedLastTimestamp: null,
  },
  createsOnReplace: true,
  withDefaults: withReadableTimes,
  validate(event, previous) {
    if (event['eventTime'] === undefined || event['eventTime'] === null) return [fieldError.required('eventTime')];
    const errors: FieldError[] = [...namespaceErrors(event)];
    for (const [field, stored] of REQUIRED) {
      if ((textAt(event, stored) ?? '') !== '') continue;
      errors.push(fieldError.required(field));
      if (field !== 'reportingController') continue;
      const name = qualifiedNameDefect('') ?? '';
      errors.push(fieldError.invalid(field, '', 'name part must be non-empty'), fieldError.invalid(field, '', name));
    }
    const type = textAt(event, 'type') ?? '';
    if (type !== 'Normal' && type !== 'Warning') {
      errors.push(fieldError.invalid('type', '', `has invalid value: ${type}`));
    }
    const note = textAt(event, 'message') ?? '';
    if (Buffer.byteLength(note) > 1024) {
      errors.push(fieldError.invalid('message', '', 'can have at most 1024 characters'));
    }
    // Times and counts of a series move on; the rest is history.
    if (previous !== undefined && textAt(event, 'reason') !== textAt(previous, 'reason')) {
      errors.push(fieldError.invalid('reason', event['reason'], 'field is immutable'));
    }
    return errors;
  },
  toStored(event) {
    const renamed = renameFields(event, 'toCore');
    return { ...CORE_BLANKS, ...renamed, apiVersion: 'v1' };
  },
  fromStored(event) {
    const renamed = renameFields(without(event, 'apiVersion'), 'fromCore');
    return { apiVersion: 'events.k8s.io/v1', ...renamed } as ApiObject;
  },
};

function renameFields(event: JsonObject, direction: 'toCore' | 'fromCore'): JsonObject {
  const names = new Map(FIELD_PAIRS.map(([young, core]) => (direction === 'toCore' ? [young, core] : [core, young])));
  return Object.fromEntries(Object.entries(event).map(([name, value]) => [names.get(name) ?? name, value]));
}

function withReadableTimes(event: JsonObject): JsonObject {
  const times: readonly (Json | undefined)[] = [event['eventTime'], objectAt(event, 'series')['lastObservedTime']];
  const bad = times.find((time) => time !== undefined && time !== null && !isMicroTime(time));
  if (bad === undefined) return event;
  const text = JSON.stringify(bad).slice(1, -1);
  throw badRequest(`Event in version "v1" cannot be handled as a Event: ${microTimeDefect(text)}`);
}

/** An event stands in the namespace of what it is about; one about a cluster-wide object in `default` or `kube-system`. */
function namespaceErrors(event: JsonObject): readonly FieldError[] {
  const object = objectAt(event, 'involvedObject');
  // Without its version nobody knows whether the thing stands in a namespace.
  if ((textAt(object, 'apiVersion') ?? '') === '') return [];
  const about = textAt(object, 'namespace') ?? '';
  const namespace = textAt(event, 'metadata', 'namespace') ?? '';
  const fits = about === '' ? ['default', 'kube-system', ''].includes(namespace) : about === namespace;
  return fits ? [] : [fieldError.invalid('involvedObject.namespace', about, 'does not match event.namespace')];
}
