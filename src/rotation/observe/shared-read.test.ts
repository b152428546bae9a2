import { expect, test } from 'vitest';
import { sharedRead } from './shared-read.ts';

/** Reads that end when told, each with its number. */
function reads() {
  const ends: (() => void)[] = [];
  let begun = 0;
  const ask = sharedRead(() => {
    begun += 1;
    const number = begun;
    return new Promise<number>((resolve, reject) => {
      ends.push(() => (number === 2 ? reject(new Error('lost')) : resolve(number)));
    });
  });
  return { ask, end: (index: number) => ends[index]?.(), begun: () => begun };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('those who ask before a read begins share it; who asks later gets one that begins later', async () => {
  const { ask, end, begun } = reads();
  const [first, same] = [ask(), ask()];
  await turn();
  expect(begun()).toBe(1);
  const later = ask();
  await turn();
  expect(begun()).toBe(1);
  end(0);
  expect(await Promise.all([first, same])).toEqual([1, 1]);
  await turn();
  expect(begun()).toBe(2);
  end(1);
  await expect(later).rejects.toThrow('lost');
});

test('a read that fails does not stop the next', async () => {
  const { ask, end } = reads();
  const first = ask();
  await turn();
  end(0);
  await first;
  const second = ask();
  await turn();
  end(1);
  await expect(second).rejects.toThrow('lost');
  const third = ask();
  await turn();
  end(2);
  expect(await third).toBe(3);
});
