import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decideGateway } from '../../src/rotation/decide/gateway.ts';
import { decideRuntime } from '../../src/rotation/decide/runtime.ts';
import { anyGateway, anyLoss, anyRuntime } from './arbitrary.ts';

// Every situation is frozen to the bottom, so changing it throws.

test("the gateway's decision throws at nothing, changes nothing, and gives the same for the same", () => {
  fc.assert(
    fc.property(fc.oneof(anyGateway, anyLoss), (seen) => {
      expect(decideGateway(structuredClone(seen))).toEqual(decideGateway(seen));
    }),
    { numRuns: 300 },
  );
});

test("a runtime's decision throws at nothing, changes nothing, and gives the same for the same", () => {
  fc.assert(
    fc.property(anyRuntime, (seen) => {
      expect(decideRuntime(structuredClone(seen))).toEqual(decideRuntime(seen));
    }),
    { numRuns: 300 },
  );
});
