import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fenceMs, propagationDelayMs } from './build.ts';
import { type Happening, startLife } from './life-of-a-runtime.ts';

const looks = fc
  .constantFrom('answered', 'answered', 'answer lost', 'under way', 'lost')
  .map((write): Happening => ({ does: 'a look', write }));
const time = fc
  .constantFrom(1, 1000, 60_000, fenceMs - 1, fenceMs, propagationDelayMs)
  .map((ms): Happening => ({ does: 'time passes', ms }));
const course = fc.constantFrom<Happening>(
  { does: 'a write arrives' },
  { does: 'the watcher mounts' },
  { does: 'a root enters' },
  { does: 'the oldest root leaves' },
  { does: 'a pair is issued', ofOlderRoot: false },
  { does: 'a pair is issued', ofOlderRoot: true },
);
const trouble = fc.constantFrom<Happening>(
  { does: 'somebody writes', what: 'his own' },
  { does: 'somebody writes', what: 'an old copy' },
  { does: 'somebody writes', what: 'labels' },
  { does: 'the Secret is deleted' },
  { does: 'the operator starts again' },
  { does: 'the record is lost' },
);
const happening = fc.oneof(
  { weight: 8, arbitrary: looks },
  { weight: 3, arbitrary: time },
  { weight: 3, arbitrary: course },
  { weight: 1, arbitrary: trouble },
);
const happenings = fc.array(happening, { minLength: 5, maxLength: 40 });

test('whatever happens, the record covers what the watcher uses', () => {
  fc.assert(
    fc.property(happenings, (all) => {
      const life = startLife();
      for (const one of all) {
        life.step(one);
        const fault = life.fault();
        if (fault !== null) throw new Error(fault);
      }
    }),
    { numRuns: 800 },
  );
});

test('whatever happened, a runtime that is reachable ends with the one value that it should have, proven', () => {
  fc.assert(
    fc.property(happenings, (all) => {
      const life = startLife();
      for (const one of all) life.step(one);
      expect(life.settle()).toMatchObject({ action: null, waits: [] });
      expect(life.record()).toMatchObject({ beyond: 'nothing', values: [{ state: 'confirmed' }] });
    }),
    { numRuns: 300 },
  );
});
