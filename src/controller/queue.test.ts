import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createWorkQueue } from './queue.ts';
import { createTestClock } from './test-clock.ts';

const nothing = (): void => undefined;

function takeAll(queue: { take(): string | undefined }): string[] {
  const keys: string[] = [];
  for (let key = queue.take(); key !== undefined; key = queue.take()) keys.push(key);
  return keys;
}

describe('the work queue', () => {
  test('holds a key once however often it is added, in order of arrival', () => {
    const queue = createWorkQueue(createTestClock(), nothing);
    for (const key of ['a', 'b', 'a', 'c', 'b']) queue.add(key);
    expect(takeAll(queue)).toEqual(['a', 'b', 'c']);
  });

  test('does not hand out a key that is taken, and hands it out again when done if it was added meanwhile', () => {
    const queue = createWorkQueue(createTestClock(), nothing);
    queue.add('a');
    expect(queue.take()).toBe('a');
    queue.add('a');
    queue.add('a');
    expect(queue.take()).toBeUndefined();
    queue.done('a');
    expect(takeAll(queue)).toEqual(['a']);
    queue.done('a');
    expect(queue.take()).toBeUndefined();
  });

  test('lets the earlier of two times win', async () => {
    const clock = createTestClock();
    const queue = createWorkQueue(clock, nothing);
    queue.addAfter('a', 1_000);
    queue.addAfter('a', 100);
    queue.addAfter('a', 5_000);
    await clock.advance(100);
    expect(takeAll(queue)).toEqual(['a']);
    queue.done('a');
    await clock.advance(10_000);
    expect(queue.take()).toBeUndefined();
  });

  test('lets ready now beat a later time', async () => {
    const clock = createTestClock();
    const queue = createWorkQueue(clock, nothing);
    queue.addAfter('a', 1_000);
    queue.add('a');
    queue.addAfter('a', 500);
    expect(takeAll(queue)).toEqual(['a']);
    expect(queue.sizes()).toEqual({ ready: 0, delayed: 0, taken: 1 });
  });

  test('takes a time that has passed for now (B50)', async () => {
    const clock = createTestClock();
    const queue = createWorkQueue(clock, nothing);
    queue.addAfter('a', -922);
    await clock.advance(0);
    expect(takeAll(queue)).toEqual(['a']);
  });

  test('prefers fresh events to the initial list, and lifts a key that gets one', () => {
    const queue = createWorkQueue(createTestClock(), nothing);
    for (const key of ['a', 'b', 'c']) queue.add(key, 'low');
    queue.add('c', 'high');
    queue.add('d', 'high');
    queue.add('d', 'low');
    expect(takeAll(queue)).toEqual(['c', 'd', 'a', 'b']);
  });

  test('does not starve low keys under a steady stream of high ones', () => {
    const queue = createWorkQueue(createTestClock(), nothing);
    queue.add('low', 'low');
    const order: string[] = [];
    for (let i = 0; i < 20; i += 1) {
      queue.add(`high-${i}`);
      queue.add(`more-${i}`);
      order.push(queue.take() ?? '');
    }
    expect(order.indexOf('low')).toBe(8);
  });

  test('drops everything at its close, timers included', () => {
    const clock = createTestClock();
    const queue = createWorkQueue(clock, nothing);
    queue.add('a');
    queue.addAfter('b', 10);
    queue.close();
    queue.add('c');
    queue.addAfter('d', 10);
    expect(queue.take()).toBeUndefined();
    expect(clock.pending()).toBe(0);
  });

  test('under any sequence of calls never hands out a taken key, and never loses one that was added', async () => {
    const keys = fc.constantFrom('a', 'b', 'c', 'd');
    const call = fc.oneof(
      fc.record({ do: fc.constant('add' as const), key: keys, priority: fc.constantFrom('high', 'low') }),
      fc.record({ do: fc.constant('addAfter' as const), key: keys, ms: fc.integer({ min: -5, max: 50 }) }),
      fc.record({ do: fc.constant('take' as const) }),
      fc.record({ do: fc.constant('done' as const), key: keys }),
      fc.record({ do: fc.constant('advance' as const), ms: fc.nat(30) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 40 }), async (calls) => {
        const clock = createTestClock();
        const queue = createWorkQueue(clock, nothing);
        const taken = new Set<string>();
        // What the queue still owes: a key added since it was last handed out.
        const owed = new Set<string>();
        const handedOut = (key: string): void => {
          expect(taken.has(key)).toBe(false);
          taken.add(key);
          owed.delete(key);
        };
        for (const step of calls) {
          if (step.do === 'add') {
            queue.add(step.key, step.priority);
            owed.add(step.key);
          } else if (step.do === 'addAfter') {
            queue.addAfter(step.key, step.ms);
            owed.add(step.key);
          } else if (step.do === 'done') {
            queue.done(step.key);
            taken.delete(step.key);
          } else if (step.do === 'advance') await clock.advance(step.ms);
          else {
            const key = queue.take();
            if (key !== undefined) handedOut(key);
          }
        }
        for (let round = 0; round < 2; round += 1) {
          for (const key of taken) queue.done(key);
          taken.clear();
          await clock.advance(100);
          for (const key of takeAll(queue)) handedOut(key);
        }
        expect([...owed]).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  test('takes time in proportion to its keys, however many', () => {
    const timeFor = (keys: number): number => {
      const queue = createWorkQueue(createTestClock(), nothing);
      const beganMs = performance.now();
      for (let i = 0; i < keys; i += 1) queue.add(`runtime-${i}`);
      expect(takeAll(queue)).toHaveLength(keys);
      return performance.now() - beganMs;
    };
    timeFor(10_000);
    // 8 for a linear cost, 64 for a quadratic one.
    expect(timeFor(80_000) / timeFor(10_000)).toBeLessThan(40);
  });
});
