import { afterEach, expect } from 'vitest';
import { kindsSeenFromNowOn } from '../test/contract/record-kinds.ts';
import { unrecorded } from '../test/contract/unrecorded.ts';
import { holdInShort } from './hold-in-short.ts';

const kinds = kindsSeenFromNowOn();
holdInShort('embedded');

afterEach(async () => {
  expect(await unrecorded(kinds), 'requests of kinds that test/contract does not compare').toEqual([]);
});
