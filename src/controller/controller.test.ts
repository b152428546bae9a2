import { expect, test } from 'vitest';
import { type RunRecord, startController } from './controller.ts';
import { createTestClock } from './test-clock.ts';

function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

test('a burst of events on one key is one run', async () => {
  const clock = createTestClock();
  const runs: string[] = [];
  const controller = startController({ name: 'test', clock, reconcile: async (key) => void runs.push(key) });
  for (let i = 0; i < 100; i += 1) controller.add('a');
  await clock.advance(0);
  expect(runs).toEqual(['a']);
  await controller.stop();
});

test('a key never runs twice at once, and runs again for what came meanwhile', async () => {
  const clock = createTestClock();
  const { open, opened } = gate();
  let running = 0;
  let most = 0;
  let runs = 0;
  const controller = startController({
    name: 'test',
    clock,
    concurrency: 4,
    async reconcile() {
      running += 1;
      runs += 1;
      most = Math.max(most, running);
      await opened;
      running -= 1;
    },
  });
  controller.add('a');
  await clock.advance(0);
  controller.add('a');
  controller.add('a');
  await clock.advance(0);
  expect(runs).toBe(1);
  open();
  await clock.advance(0);
  expect({ runs, most }).toEqual({ runs: 2, most: 1 });
  await controller.stop();
});

test('no more keys run at once than allowed', async () => {
  const clock = createTestClock();
  const { open, opened } = gate();
  const started: string[] = [];
  const controller = startController({
    name: 'test',
    clock,
    concurrency: 2,
    async reconcile(key) {
      started.push(key);
      await opened;
    },
  });
  for (const key of ['a', 'b', 'c']) controller.add(key);
  await clock.advance(0);
  expect(started).toEqual(['a', 'b']);
  expect(controller.state()).toMatchObject({ ready: 1, running: 2 });
  open();
  await clock.advance(0);
  expect(started).toEqual(['a', 'b', 'c']);
  await controller.stop();
});

test('a throw means again after a back-off that grows, and a success resets it', async () => {
  const clock = createTestClock();
  const records: RunRecord[] = [];
  let broken = true;
  const controller = startController({
    name: 'test',
    clock,
    random: () => 0,
    backoff: { baseMs: 100, maxMs: 1_000 },
    onRun: (record) => records.push(record),
    async reconcile() {
      if (broken) throw new Error('broken');
    },
  });
  controller.add('a');
  await clock.advance(100 + 200 + 400 + 800 - 1);
  expect(records.map(({ againAfterMs }) => againAfterMs)).toEqual([100, 200, 400, 800]);
  broken = false;
  await clock.advance(1);
  expect(records.at(-1)).toMatchObject({ outcome: 'done' });
  broken = true;
  controller.add('a');
  await clock.advance(0);
  expect(records.at(-1)).toMatchObject({ outcome: 'failed', againAfterMs: 100 });
  await controller.stop();
});

test('a reconcile that throws before its first await is a failed run like any other', async () => {
  const clock = createTestClock();
  const records: RunRecord[] = [];
  const controller = startController({
    name: 'test',
    clock,
    onRun: (record) => records.push(record),
    reconcile() {
      throw new Error('at once');
    },
  });
  controller.add('a');
  controller.add('b');
  await clock.advance(0);
  expect(records.map(({ key, outcome }) => `${key} ${outcome}`)).toEqual(['a failed', 'b failed']);
  await controller.stop();
});

test('a run may ask to be repeated, and an event before that time makes it sooner', async () => {
  const clock = createTestClock();
  const runsAtMs: number[] = [];
  const startMs = clock.monotonicMs();
  const controller = startController({
    name: 'test',
    clock,
    async reconcile() {
      runsAtMs.push(clock.monotonicMs() - startMs);
      return { againAfterMs: 1_000 };
    },
  });
  controller.add('a');
  await clock.advance(1_500);
  controller.add('a');
  await clock.advance(1_000);
  expect(runsAtMs).toEqual([0, 1_000, 1_500, 2_500]);
  await controller.stop();
});

test('stop aborts what runs, waits for it, and starts nothing more', async () => {
  const clock = createTestClock();
  const log: string[] = [];
  const controller = startController({
    name: 'test',
    clock,
    async reconcile(key, signal) {
      log.push(`start ${key}`);
      await clock.delay(60_000, signal).catch(() => undefined);
      await Promise.resolve();
      log.push(`end ${key}`);
    },
  });
  controller.add('a');
  controller.add('b');
  await clock.advance(0);
  await controller.stop();
  controller.add('c');
  await clock.advance(1_000);
  expect(log).toEqual(['start a', 'end a']);
  expect(clock.pending()).toBe(0);
});

test('the age of the oldest run is known, so that a hanging one can be noticed', async () => {
  const clock = createTestClock();
  const { open, opened } = gate();
  const controller = startController({ name: 'test', clock, reconcile: async () => opened });
  controller.add('a');
  await clock.advance(5_000);
  expect(controller.state().oldestRunMs).toBe(5_000);
  open();
  await controller.stop();
});
