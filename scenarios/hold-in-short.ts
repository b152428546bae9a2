import { setMaxListeners } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { World } from '../world/world.ts';
import { makeEmpty } from './live-run.ts';
import { shortProgramme, shortRuntimes } from './programme.ts';
import { openWorld, paceOf, type WorldKind } from './stage.ts';

/** Tests: the scenarios in short, one after the other on one world. The operator is the built one: `npm run build` comes first. */
export function holdInShort(kind: WorldKind): void {
  let world: World | undefined;
  let failed = true;
  const lines: string[] = [];
  const ending = new AbortController();
  setMaxListeners(0, ending.signal);

  beforeAll(async () => {
    world = await openWorld(kind, { runtimes: shortRuntimes, seed: 1, signal: ending.signal });
  });
  afterAll(async () => {
    const logs = await world?.stop({ failed });
    if (logs !== undefined) console.error(`Logs and recording: ${logs}`);
  });

  const programme = shortProgramme(kind);
  for (const [index, { title, perform }] of programme.entries()) {
    test(`${title} holds in short`, async () => {
      if (world === undefined) throw new Error('There is no world');
      lines.length = 0;
      if (index > 0) await makeEmpty(world, ending.signal);
      const say = (text: string) => void lines.push(text);
      const outcome = await perform({ world, pace: paceOf(kind), seed: 1, say, signal: ending.signal });
      expect(outcome.problems, lines.join('\n')).toEqual([]);
      expect(outcome).toMatchObject({ ok: true, failed: 0, violations: 0, gaps: 0 });
      failed = index < programme.length - 1;
    });
  }
}
