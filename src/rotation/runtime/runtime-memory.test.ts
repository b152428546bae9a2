import { expect, test } from 'vitest';
import { runtimeMemory } from './runtime-memory.ts';

test('a registration keeps the time at which it was first known', () => {
  const memory = runtimeMemory();
  memory.noteRegistered(['s1'], 10);
  memory.noteRegistered(['s1', 's2'], 20);
  expect(memory.registered()).toEqual({ s1: 10, s2: 20 });
});

test('a delivery that is sent again has its fence from the last sending on, since that one may arrive last', () => {
  const memory = runtimeMemory();
  memory.noteRegistered(['s1'], 10);
  memory.noteSent('s1', 500);
  memory.noteRegistered(['s1'], 510);
  expect(memory.registered()).toEqual({ s1: 500 });
});

test('a registration that no record names any more is forgotten', () => {
  const memory = runtimeMemory();
  memory.noteRegistered(['s1'], 10);
  memory.noteRegistered([], 20);
  expect(memory.registered()).toEqual({});
});
