import { expect, test } from 'vitest';
import { createLane } from './lane.ts';

const never = new AbortController().signal;

test('places are given out in the order of asking, and giving one back twice makes no second one', async () => {
  const lane = createLane(1);
  const leave = await lane.enter(never);
  const order: string[] = [];
  const second = lane.enter(never).then((done) => {
    order.push('second');
    return done;
  });
  const third = lane.enter(never).then((done) => {
    order.push('third');
    return done;
  });
  leave();
  leave();
  const leaveSecond = await second;
  await Promise.resolve();
  expect(order).toEqual(['second']);
  leaveSecond();
  (await third)();
  expect(order).toEqual(['second', 'third']);
});

test('who stops waiting takes no place', async () => {
  const lane = createLane(1);
  const leave = await lane.enter(never);
  const impatient = new AbortController();
  const waiting = lane.enter(impatient.signal);
  impatient.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  leave();
  (await lane.enter(never))();
});

test('who has priority has the next place, but of nine places one is for the others', async () => {
  const lane = createLane(1);
  let leave = await lane.enter(never);
  const order: string[] = [];
  const enter = (name: string, priority: 'high' | 'low'): void => {
    void lane.enter(never, priority).then((left) => {
      order.push(name);
      leave = left;
    });
  };
  enter('low', 'low');
  for (let index = 0; index < 9; index += 1) enter(`high-${index}`, 'high');
  for (let index = 0; index < 10; index += 1) {
    leave();
    await Promise.resolve();
    await Promise.resolve();
  }
  expect(order).toHaveLength(10);
  expect(order.indexOf('low')).toBe(8);
});
