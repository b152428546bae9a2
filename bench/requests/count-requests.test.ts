import { expect, test } from 'vitest';
import { eventsIn } from './audit-log.ts';
import { countByKind, countOf, isStandingCost, requestsOf } from './count-requests.ts';

let ids = 0;
function line(verb: string, resource: string, more: object = {}): string {
  ids += 1;
  return JSON.stringify({
    auditID: `id-${ids}`,
    stage: 'ResponseComplete',
    verb,
    user: { username: 'operator' },
    objectRef: { resource },
    responseStatus: { code: 200 },
    requestReceivedTimestamp: '2030-01-01T00:00:00.000000Z',
    ...more,
  });
}

test('requests of others are not counted, and a watch that began and ended counts once', () => {
  const events = eventsIn(
    [
      line('get', 'secrets'),
      line('get', 'secrets', { user: { username: 'admin' } }),
      line('watch', 'kymas', { auditID: 'one', stage: 'ResponseStarted' }),
      line('watch', 'kymas', { auditID: 'one' }),
      line('update', 'certificates', { objectRef: { resource: 'certificates', subresource: 'status' } }),
      '',
    ].join('\n'),
  );
  const requests = requestsOf(events, 'operator');
  expect(countByKind(requests)).toEqual({ 'get secrets': 1, 'update certificates/status': 1, 'watch kymas': 1 });
  expect(countOf(requests, ['create', 'update'], 'certificates/status')).toBe(1);
});

test('watches and the Lease are what an idle operator costs anyway', () => {
  const events = eventsIn([line('watch', 'kymas'), line('update', 'leases'), line('get', 'secrets')].join('\n'));
  expect(requestsOf(events, 'operator').map(isStandingCost)).toEqual([true, true, false]);
});

test('a write whose answer has the version that was sent changed nothing', () => {
  const version = (resourceVersion: string) => ({ metadata: { resourceVersion } });
  const events = eventsIn(
    [
      line('update', 'runtimetrusts', { requestObject: version('7'), responseObject: version('8') }),
      line('update', 'runtimetrusts', { requestObject: version('8'), responseObject: version('8') }),
      line('update', 'secrets'),
    ].join('\n'),
  );
  expect(requestsOf(events, 'operator').map(({ changed }) => changed)).toEqual([true, false, null]);
});
