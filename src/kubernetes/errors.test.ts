import { describe, expect, test } from 'vitest';
import {
  describe as describeRequest,
  errorFromAnswer,
  errorWithoutAnswer,
  isAlreadyExists,
  isConflict,
  isFieldConflict,
  mayHaveBeenWritten,
} from './errors.ts';
import * as request from './request.ts';
import { LEASE, SECRET } from './resource.ts';

const ref = { namespace: 'istio-system', name: 'klm-watcher' };
const read = request.get(SECRET, ref);
const write = request.replace(SECRET, { metadata: ref });
const applied = request.apply(SECRET, { metadata: ref }, { fieldManager: 'keyturn' });

describe('an answer', () => {
  test.each([
    // status, reason of the server, retry, outcome of a write
    [400, 'BadRequest', 'no', 'refused'],
    [401, 'Unauthorized', 'later', 'refused'],
    [403, 'Forbidden', 'later', 'refused'],
    [404, 'NotFound', 'no', 'refused'],
    [408, '', 'later', 'unknown'],
    [409, 'Conflict', 'now', 'refused'],
    [409, 'AlreadyExists', 'no', 'refused'],
    [410, 'Expired', 'now', 'refused'],
    [413, 'RequestEntityTooLarge', 'no', 'refused'],
    [422, 'Invalid', 'no', 'refused'],
    [429, 'TooManyRequests', 'later', 'refused'],
    [500, 'InternalError', 'later', 'unknown'],
    [502, '', 'later', 'unknown'],
    [503, 'ServiceUnavailable', 'later', 'unknown'],
    [504, 'Timeout', 'later', 'unknown'],
  ])('of %i %s to a write: retry %s, outcome %s', (status, reason, retry, outcome) => {
    expect(errorFromAnswer(write, status, { reason, message: 'm' }, {})).toMatchObject({ status, retry, outcome });
  });

  test('of 500 for a field that the schema does not have is our fault: refused for sure, and never retried', () => {
    const message = 'failed to create typed patch object (kcp/x; /v1, Kind=Secret): .x: field not declared in schema';
    expect(errorFromAnswer(applied, 500, { reason: 'InternalError', message }, {})).toMatchObject({
      retry: 'no',
      outcome: 'refused',
    });
  });

  test('of 409 to an apply names the fields and managers in the way, and is no matter of trying again', () => {
    const cause = {
      reason: 'FieldManagerConflict',
      message: 'conflict with "kubectl" using v1',
      field: '.data.ca\\.crt',
    };
    const error = errorFromAnswer(applied, 409, { reason: 'Conflict', message: 'm', details: { causes: [cause] } }, {});
    expect(isConflict(error) && isFieldConflict(error)).toBe(true);
    expect(error).toMatchObject({
      retry: 'no',
      fieldConflicts: [{ field: '.data.ca\\.crt', message: 'conflict with "kubectl" using v1' }],
    });
  });

  test('of 409 because it exists is no conflict of versions', () => {
    const error = errorFromAnswer(write, 409, { reason: 'AlreadyExists' }, {});
    expect([isAlreadyExists(error), isConflict(error)]).toEqual([true, false]);
  });

  test('says how long to wait where the server does', () => {
    expect(errorFromAnswer(read, 429, {}, { 'retry-after': '3' }).retryAfterMs).toBe(3_000);
    expect(errorFromAnswer(read, 429, { details: { retryAfterSeconds: 2 } }, {}).retryAfterMs).toBe(2_000);
    expect(errorFromAnswer(read, 500, undefined, {}).retryAfterMs).toBeUndefined();
  });

  test('that repeats parts of a body does not carry keys and tokens on', () => {
    const key = '-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49\n-----END PRIVATE KEY-----';
    const base64 = Buffer.from(key).toString('base64');
    for (const secret of [key, base64]) {
      const { message } = errorFromAnswer(write, 400, { message: `cannot be handled: found "${secret}"` }, {});
      expect(message).not.toContain(secret.slice(0, 45));
      expect(message).toContain('cannot be handled');
    }
  });
});

describe('no answer', () => {
  test.each([
    ['Unreachable', false, 'later', 'refused'],
    ['ConnectionLost', true, 'later', 'unknown'],
    ['TimedOut', true, 'later', 'unknown'],
    ['TimedOut', false, 'later', 'refused'],
    ['Aborted', true, 'no', 'unknown'],
    ['Aborted', false, 'no', 'refused'],
  ] as const)('to a write because of %s (sent: %s): retry %s, outcome %s', (reason, sent, retry, outcome) => {
    const error = errorWithoutAnswer(write, reason, 'd', sent);
    expect(error).toMatchObject({ retry, outcome });
    expect(mayHaveBeenWritten(error)).toBe(outcome === 'unknown');
  });

  test('to a read on a broken connection may be asked again at once', () => {
    expect(errorWithoutAnswer(read, 'ConnectionLost', 'd', true)).toMatchObject({ retry: 'now', outcome: 'refused' });
  });

  test('an error of an unknown kind counts as "may have been written"', () => {
    expect(mayHaveBeenWritten(new Error('?'))).toBe(true);
  });
});

test.each([
  [read, 'get secrets istio-system/klm-watcher'],
  [
    request.applyStatus(LEASE, { metadata: ref }, { fieldManager: 'k' }),
    'apply leases.coordination.k8s.io/status istio-system/klm-watcher',
  ],
  [request.list(SECRET, { namespace: 'kcp', labelSelector: 'a=b' }), 'list secrets in kcp'],
  [request.list(SECRET), 'list secrets'],
  [request.getPath('/version'), 'get /version'],
])('an error names what the request was about: %#', (of, expected) => {
  expect(describeRequest(of)).toBe(expected);
});
