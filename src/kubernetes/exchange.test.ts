import type { Dispatcher } from 'undici';
import { expect, test } from 'vitest';
import { exchange } from './exchange.ts';
import * as request from './request.ts';
import { SECRET } from './resource.ts';

const createSecret = request.create(SECRET, { metadata: { namespace: 'kcp', name: 'a' } });
const options = { path: createSecret.path, method: 'POST' } as const;
const signal = new AbortController().signal;

/** A dispatcher whose connection becomes free when the test says so. */
function dispatcher() {
  let handler: Dispatcher.DispatchHandler | undefined;
  const aborted: Error[] = [];
  const controller = { abort: (reason: Error) => aborted.push(reason) } as unknown as Dispatcher.DispatchController;
  const dispatch = (_: Dispatcher.DispatchOptions, given: Dispatcher.DispatchHandler) => {
    handler = given;
    return true;
  };
  return {
    dispatch: { dispatch } as unknown as Dispatcher,
    free: () => handler?.onRequestStart?.(controller, {}),
    dispatched: () => handler !== undefined,
    aborted,
  };
}

test('a request whose connection becomes free after a pause of the process is not sent, though no timer has run yet', async () => {
  const { dispatch, free, aborted } = dispatcher();
  const answer = exchange(dispatch, createSecret, options, { signal, timeoutMs: 20 });
  const beganMs = performance.now();
  while (performance.now() - beganMs < 30);
  free();
  expect(aborted).toHaveLength(1);
  await expect(answer).rejects.toMatchObject({ reason: 'TimedOut', outcome: 'refused' });
});

test('a request with no time left is not handed over at all', async () => {
  const { dispatch, dispatched } = dispatcher();
  const answer = exchange(dispatch, createSecret, options, { signal, timeoutMs: 0 });
  await expect(answer).rejects.toMatchObject({ reason: 'TimedOut', outcome: 'refused' });
  expect(dispatched()).toBe(false);
});

test('an abort after the request has gone out cuts its connection', async () => {
  const { dispatch, free, aborted } = dispatcher();
  const controller = new AbortController();
  const answer = exchange(dispatch, createSecret, options, { signal: controller.signal, timeoutMs: 1_000 });
  free();
  controller.abort();
  await expect(answer).rejects.toMatchObject({ reason: 'Aborted', outcome: 'unknown' });
  expect(aborted).toHaveLength(1);
});
