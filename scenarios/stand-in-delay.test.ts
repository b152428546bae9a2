import { expect, it } from 'vitest';
import { historyOf } from '../src/checker/history.ts';
import { longestStandInDelay } from './stand-in-delay.ts';

const secret = (atMs: number, resourceVersion: string, value = resourceVersion) =>
  ({
    entry: 'secret',
    atMs,
    role: 'runtime',
    runtime: 'a',
    cluster: 'a',
    namespace: 'n',
    name: 's',
    resourceVersion,
    uid: 'u',
    data: { 'tls.crt': value },
  }) as const;
const swap = (atMs: number, resourceVersion: string) =>
  ({ entry: 'swap', atMs, runtime: 'a', resourceVersion, data: {} }) as const;

it('counts from the oldest write that a swap brought', () => {
  const history = historyOf([
    secret(0, '1'),
    swap(1_000, '1'),
    secret(2_000, '2'),
    secret(5_000, '3'),
    swap(6_500, '3'),
  ]);
  expect(longestStandInDelay(history)).toEqual({ longestMs: 4_500, runtime: 'a', atMs: 6_500 });
});

it('does not wait for a version that changes no file', () => {
  const history = historyOf([
    secret(0, '1', 'a'),
    swap(1_000, '1'),
    secret(2_000, '2', 'a'),
    secret(9_000, '3', 'b'),
    secret(9_100, '4', 'b'),
    swap(9_500, '4'),
  ]);
  expect(longestStandInDelay(history)?.longestMs).toBe(1_000);
});

it('knows nothing where nothing was swapped', () => {
  expect(longestStandInDelay(historyOf([secret(0, '1')]))).toBeNull();
});
