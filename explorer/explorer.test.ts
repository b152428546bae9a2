import { describe, expect, it } from 'vitest';
import { PLANTS } from './plants.ts';
import { search } from './search.ts';
import { PLANT_SETTINGS, TEST_SEARCHES, TEST_WALKS } from './settings.ts';
import { walk } from './walk.ts';

const nowMs = (): number => performance.now();
const PATIENCE_MS = 240_000;

describe('the decisions, in every state of a small world', () => {
  it.each(TEST_SEARCHES)(
    'break no rule: $setting.name',
    ({ setting, bound }) => {
      const found = search(setting, null, bound, nowMs);
      const { states, transitions, depth, endings, exhaustive } = found;
      console.log(
        `${setting.name}: ${states} states, ${transitions} steps, depth ${depth}, ${endings} endings, exhaustive: ${exhaustive}`,
      );
      expect(found.counterExample).toBeNull();
      expect(states).toBeGreaterThan(1000);
    },
    PATIENCE_MS,
  );

  it.each(TEST_WALKS)(
    'break no rule on random walks: $setting.name',
    ({ setting, bound }) => {
      const found = walk(setting, null, bound, nowMs);
      console.log(`${setting.name}: ${found.walks} walks, ${found.steps} steps`);
      expect(found.counterExample).toBeNull();
      expect(found.walks).toBeGreaterThan(20);
    },
    PATIENCE_MS,
  );
});

describe('the explorer finds a planted mistake', () => {
  it.each(PLANTS)(
    '$name',
    (plant) => {
      const setting = PLANT_SETTINGS[plant.name];
      if (setting === undefined) throw new Error(`No setting is named for the mistake "${plant.name}"`);
      const found = search(setting, plant, { maxStates: 200_000, endingEvery: 5, maxMs: PATIENCE_MS }, nowMs);
      expect(found.counterExample).not.toBeNull();
    },
    PATIENCE_MS,
  );
});
