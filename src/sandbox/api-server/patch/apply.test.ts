import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fieldAt, type Json, type JsonObject } from '../json.ts';
import { THING_SCHEMA } from '../truth/crds.ts';
import { type ApplyRequest, applied } from './apply.ts';
import { withUpdateRecorded } from './record-update.ts';
import { shapeOfKind } from './shape-of-kind.ts';
import { shapeOfSchema } from './shape-of-schema.ts';

const shape = shapeOfKind('v1', 'Secret');
const at = (second: number) => `2026-01-01T00:00:${String(second).padStart(2, '0')}Z`;
const secret = (data: Json, labels: Json = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 's', ...(Object.keys(labels ?? {}).length === 0 ? {} : { labels }) },
  data,
});

interface Options {
  readonly live?: JsonObject;
  readonly manager?: string;
  readonly force?: boolean;
  readonly second?: number;
}

function request(config: JsonObject, { live, manager = 'ann', force = false, second = 0 }: Options): ApplyRequest {
  return { live, config, shape, force, writer: { manager, apiVersion: 'v1', time: at(second) } };
}

function apply(config: JsonObject, options: Options = {}): JsonObject {
  const answer = applied(request(config, options));
  if (!answer.ok) throw new Error(answer.refusal.message);
  return answer.value;
}

function update(live: JsonObject | undefined, next: JsonObject, second = 0, subresource?: string): JsonObject {
  const writer = {
    manager: 'eve',
    apiVersion: 'v1',
    time: at(second),
    ...(subresource === undefined ? {} : { subresource }),
  };
  return withUpdateRecorded({ live, next, shape, writer });
}

const owners = (object: JsonObject) => fieldAt(object, 'metadata', 'managedFields');

describe('server-side apply', () => {
  test('owns what it applies, and nothing that the server decides', () => {
    expect(owners(apply(secret({ a: 'MQ==' }, { l: 'x' })))).toEqual([
      {
        manager: 'ann',
        operation: 'Apply',
        apiVersion: 'v1',
        time: at(0),
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { 'f:a': {} }, 'f:metadata': { 'f:labels': { 'f:l': {} } } },
      },
    ]);
  });

  test('removes what a manager gives up, unless somebody else owns it', () => {
    const both = apply(secret({ a: 'MQ==', b: 'MQ==' }));
    const shared = apply(secret({ a: 'MQ==' }), { live: both, manager: 'bob' });
    const left = apply(secret({}), { live: shared });
    expect(left['data']).toEqual({ a: 'MQ==' });
  });

  test('names whose field would change, and takes it by force', () => {
    const live = apply(secret({ a: 'MQ==' }));
    const refused = applied(request(secret({ a: 'Mg==' }), { live, manager: 'bob' }));
    expect(refused).toEqual({
      ok: false,
      refusal: {
        code: 409,
        reason: 'Conflict',
        message: 'Apply failed with 1 conflict: conflict with "ann": .data.a',
        causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "ann"', field: '.data.a' }],
      },
    });
    const forced = apply(secret({ a: 'Mg==' }), { live, manager: 'bob', force: true });
    expect(JSON.stringify(owners(forced))).not.toContain('ann');
  });

  test('of the same again changes nothing, the time neither', () => {
    const specs = fc.record(
      {
        a: fc.string(),
        map: fc.dictionary(fc.constantFrom('p', 'q'), fc.string()),
        set: fc.uniqueArray(fc.constantFrom('x', 'y', 'z')),
        parts: fc.uniqueArray(fc.record({ name: fc.constantFrom('a', 'b', 'c'), value: fc.string() }), {
          selector: ({ name }) => name,
        }),
      },
      { requiredKeys: [] },
    );
    const thing = (spec: unknown): JsonObject => ({
      apiVersion: 'x/v1',
      kind: 'Thing',
      metadata: { name: 't' },
      spec: JSON.parse(JSON.stringify(spec)) as Json,
    });
    fc.assert(
      fc.property(specs, specs, (first, second) => {
        const common = { shape: shapeOfSchema(THING_SCHEMA), force: true };
        const send = (live: JsonObject | undefined, manager: string, spec: unknown, seconds: number): JsonObject => {
          const writer = { manager, apiVersion: 'x/v1', time: at(seconds) };
          const answer = applied({ ...common, live, config: thing(spec), writer });
          if (!answer.ok) throw new Error(answer.refusal.message);
          return answer.value;
        };
        const one = send(undefined, 'ann', first, 1);
        const two = send(one, 'bob', second, 2);
        expect(send(two, 'bob', second, 3)).toEqual(two);
        expect(send(one, 'ann', first, 4)).toEqual(one);
      }),
    );
  });

  test('refuses a field that the kind does not have', () => {
    const answer = applied(request({ ...secret({}), dat: {} }, {}));
    expect(answer).toMatchObject({
      ok: false,
      refusal: {
        code: 500,
        message: 'failed to create typed patch object (/s; /v1, Kind=Secret): .dat: field not declared in schema',
      },
    });
  });

  test('finds an owner for what was there before anybody applied', () => {
    const conflict = applied(request(secret({ a: 'Mg==' }), { live: secret({ a: 'MQ==' }) }));
    expect(conflict).toMatchObject({
      refusal: { message: 'Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .data.a' },
    });
  });
});

describe('an ordinary write', () => {
  test('owns what it makes and what it changes, and takes it from others', () => {
    const live = apply(secret({ a: 'MQ==', b: 'MQ==' }));
    const changed = update(live, { ...live, data: { a: 'Mg==', b: 'MQ==' } }, 5);
    expect(owners(changed)).toMatchObject([
      { manager: 'ann', time: at(0), fieldsV1: { 'f:data': { 'f:b': {} } } },
      { manager: 'eve', operation: 'Update', time: at(5), fieldsV1: { 'f:data': { 'f:a': {} } } },
    ]);
  });

  test('that makes an object owns its maps as well as their entries', () => {
    expect(owners(update(undefined, secret({ a: 'MQ==' })))).toMatchObject([
      { manager: 'eve', fieldsV1: { 'f:data': { '.': {}, 'f:a': {} } } },
    ]);
  });

  test('that changes nothing changes no time', () => {
    const made = update(undefined, secret({ a: 'MQ==' }), 1);
    expect(update(made, made, 9)).toEqual(made);
  });

  test('may drop the list, and then nobody is kept until the next apply', () => {
    const live = apply(secret({ a: 'MQ==' }));
    for (const managedFields of [[], [{}]]) {
      const metadata = { ...(live['metadata'] as JsonObject), managedFields };
      expect(owners(update(live, { ...live, metadata }))).toBeUndefined();
    }
  });

  test('of the status cannot touch the list', () => {
    const live = apply(secret({ a: 'MQ==' }));
    const metadata = { ...(live['metadata'] as JsonObject), managedFields: [] };
    expect(owners(update(live, { ...live, metadata }, 3, 'status'))).toEqual(owners(live));
  });

  test('by an eleventh writer makes one entry of the oldest', () => {
    let live = update(undefined, secret({ k0: 'MQ==' }), 0);
    for (let writer = 1; writer <= 11; writer += 1) {
      const next = { ...live, data: { ...(live['data'] as JsonObject), [`k${writer}`]: 'MQ==' } };
      live = withUpdateRecorded({
        live,
        next,
        shape,
        writer: { manager: `w${String(writer).padStart(2, '0')}`, apiVersion: 'v1', time: at(writer) },
      });
    }
    const names = (owners(live) as readonly { readonly manager: string }[]).map(({ manager }) => manager);
    expect(names).toHaveLength(10);
    expect(names[0]).toBe('ancient-changes');
  });
});
