import { expect, test } from 'vitest';
import { createSlots } from './slots.ts';

const never = new AbortController().signal;

test('so many at once, the others in their order, and one who gives up leaves the row', async () => {
  const slots = createSlots(1);
  const order: string[] = [];
  const release = await slots.take(never);
  const ending = new AbortController();
  const enter = async (name: string, signal = never) => {
    const leave = await slots.take(signal);
    order.push(name);
    leave();
    leave();
  };
  const impatient = enter('impatient', ending.signal);
  const others = [enter('first'), enter('second')];
  expect(slots.waiting()).toBe(3);
  ending.abort(new Error('no longer'));
  await expect(impatient).rejects.toThrow('no longer');
  await expect(slots.take(ending.signal)).rejects.toThrow('no longer');
  expect(order).toEqual([]);
  release();
  await Promise.all(others);
  expect(order).toEqual(['first', 'second']);
});
