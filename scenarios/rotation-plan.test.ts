import { expect, it } from 'vitest';
import { overlappingOf, planRotations } from './rotation-plan.ts';

const seeds = Array.from({ length: 60 }, (_, seed) => seed);

it.each([3, 5, 10, 20])('plans %i rotations with all that the scenario must show, whatever the seed', (rotations) => {
  for (const seed of seeds) {
    const steps = planRotations({ rotations, seed });
    const count = (kind: string) => steps.filter((step) => step.kind === kind).length;
    expect(steps).toHaveLength(rotations);
    expect(steps[0]).toMatchObject({ afterMs: null, kind: 'rekey' });
    expect(steps.filter(({ afterMs }) => afterMs !== null)).toHaveLength(overlappingOf(rotations));
    expect(steps.some(({ afterMs }) => afterMs === 1_000)).toBe(true);
    expect(count('renew')).toBe(Math.floor(rotations / 5));
    expect(count('return')).toBe(rotations >= 8 ? 1 : 0);
    steps.forEach(({ afterMs }, index) => {
      // A renewal is proven at once: what follows it quickly does not overlap it unless it overlaps one itself.
      if (afterMs !== null && steps[index - 1]?.afterMs === null) expect(steps[index - 1]?.kind).not.toBe('renew');
    });
  }
});

it('plans at least ten of twenty to overlap, and leaves some unhurried', () => {
  expect(overlappingOf(20)).toBeGreaterThanOrEqual(10);
  for (const seed of seeds) {
    const steps = planRotations({ rotations: 20, seed });
    const unhurried = steps.filter(({ kind, afterMs }, index) => {
      return kind === 'rekey' && afterMs === null && steps[index + 1]?.afterMs === (index === 19 ? undefined : null);
    });
    expect(unhurried.length).toBeGreaterThan(0);
  }
});

it('plans the same for the same seed', () => {
  expect(planRotations({ rotations: 20, seed: 7 })).toEqual(planRotations({ rotations: 20, seed: 7 }));
});
