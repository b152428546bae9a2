import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTestClock } from '../../controller/test-clock.ts';
import type { IssueStep } from '../decide/needs-issue.ts';
import { createWaves, type Waves } from './waves.ts';

const wait = (reason: 'WaveNotReached' | 'TaintedFirst'): IssueStep => ({ step: 'wait', reason });
const ask: IssueStep = { step: 'renew', reason: 'SignedByOlderRoot' };
const full = wait('WaveNotReached');

function staged() {
  const calls: string[] = [];
  const clock = createTestClock();
  let now = 0;
  const waves = createWaves({ places: () => now, onTurn: (runtime) => calls.push(runtime), clock, patienceMs: 100 });
  const free = (more: number): void => {
    now = more;
    waves.call();
  };
  return { waves, calls, free, clock };
}

test('as many are called as there are places, in the order in which they came', () => {
  const { waves, calls, free } = staged();
  for (const runtime of ['a', 'b', 'c']) waves.noteLook(runtime, full, false);
  free(2);
  expect(calls).toEqual(['a', 'b']);
  waves.call();
  expect(calls).toEqual(['a', 'b']);
});

test('who comes first is called before the others, and holds them back until it was looked at again', () => {
  const { waves, calls, free } = staged();
  waves.noteLook('other', full, false);
  waves.noteLook('tainted', full, true);
  expect(waves.taintedAhead('other')).toBe(true);
  expect(waves.taintedAhead('tainted')).toBe(false);
  free(2);
  expect(calls).toEqual(['tainted']);
  expect(waves.taintedAhead('other')).toBe(true);
  waves.noteLook('tainted', ask, true);
  expect(waves.taintedAhead('other')).toBe(false);
  expect(calls).toEqual(['tainted', 'other']);
});

test('one that was called and does not take its place lets the next have it', () => {
  const { waves, calls, free } = staged();
  for (const runtime of ['a', 'b']) waves.noteLook(runtime, full, false);
  free(1);
  waves.noteLook('a', { step: 'none' }, false);
  expect(calls).toEqual(['a', 'b']);
});

test.each([
  ['fails', (waves: Waves) => waves.stepBack('tainted')],
  ['shows that it does not answer', (waves: Waves) => waves.noteLook('tainted', full, false)],
  ['shows that it is gone', (waves: Waves) => waves.forget('tainted')],
  [
    'shows that its issuer is stuck',
    (waves: Waves) => waves.noteLook('tainted', { step: 'wait', reason: 'Issuing' }, true),
  ],
])('a tainted one whose look %s holds nobody back', (_, end) => {
  const { waves, calls, free } = staged();
  waves.noteLook('other', full, false);
  waves.noteLook('tainted', full, true);
  free(1);
  end(waves);
  expect(waves.taintedAhead('other')).toBe(false);
  // One place, which the tainted one has left.
  expect(calls).toEqual(['tainted', 'other']);
});

test('one that was called and is not looked at in time lets the next have the place', async () => {
  const { waves, calls, free, clock } = staged();
  waves.noteLook('other', full, false);
  waves.noteLook('tainted', full, true);
  free(1);
  await clock.advance(99);
  expect(calls).toEqual(['tainted']);
  await clock.advance(1);
  expect(waves.taintedAhead('other')).toBe(false);
  expect(calls).toEqual(['tainted', 'other']);
  waves.close();
  expect(clock.pending()).toBe(0);
});

test('whatever looks show, in the end everybody who waits is called, and those who come first before the others', () => {
  const runtimes = ['a', 'b', 'c', 'd'] as const;
  const event = fc.record({
    runtime: fc.constantFrom(...runtimes),
    does: fc.constantFrom('finds no place', 'asks', 'fails', 'is gone'),
    comesFirst: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(event, { maxLength: 30 }), fc.array(fc.nat(2), { maxLength: 30 }), (events, places) => {
      const { waves, calls, free } = staged();
      const waiting = new Map<string, boolean>();
      events.forEach(({ runtime, does, comesFirst }, index) => {
        if (does === 'finds no place') waves.noteLook(runtime, full, comesFirst);
        else if (does === 'asks') waves.noteLook(runtime, ask, comesFirst);
        else if (does === 'fails') waves.stepBack(runtime);
        else waves.forget(runtime);
        if (does === 'finds no place') waiting.set(runtime, comesFirst);
        else if (does !== 'fails') waiting.delete(runtime);
        else if (waiting.has(runtime)) waiting.set(runtime, false);
        const before = calls.length;
        const first = [...waiting].some(([, isFirst]) => isFirst);
        free(places[index] ?? 0);
        for (const called of calls.slice(before)) {
          if (first) expect(waiting.get(called), 'another is called before who comes first').toBe(true);
        }
        // Whom it calls looks again at the end; until then it has its turn.
        free(0);
      });
      // Each call is answered by a look that asks.
      free(1);
      for (let done = 0; done < calls.length; done += 1) waves.noteLook(calls[done] ?? '', ask, false);
      for (const runtime of waiting.keys()) expect(calls).toContain(runtime);
      for (const runtime of runtimes) expect(waves.taintedAhead(runtime)).toBe(false);
    }),
  );
});
