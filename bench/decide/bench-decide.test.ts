import { expect, test } from 'vitest';
import { decideGateway } from '../../src/rotation/decide/gateway.ts';
import { benchDecide } from './bench-decide.ts';
import { benchParsing } from './bench-parsing.ts';
import { fleetInRotation, gatewayAtRest } from './fleet-in-rotation.ts';

test('the bench decides for a fleet in which every kind of step is due', () => {
  const bench = benchDecide({ runtimes: 200, rounds: 2, events: 10 });
  expect(bench.runtimes).toBe(200);
  expect(Object.keys(bench.decided).sort()).toEqual(['nothing', 'record', 'writeCaBundle', 'writeSecret']);
  expect(Object.values(bench.decided).reduce((sum, count) => sum + count, 0)).toBe(200);
  expect(bench.awaited).toBeGreaterThan(50);
  expect(bench.awaited).toBeLessThan(200);
  for (const runs of [bench.all, ...Object.values(bench.afterEvent)]) {
    expect(runs.runs).toBeGreaterThan(1);
    expect(runs.medianCpuMs).toBeGreaterThanOrEqual(0);
    expect(runs.worstCpuMs).toBeGreaterThanOrEqual(runs.medianCpuMs);
    expect(runs.medianWallMs).toBeGreaterThan(0);
  }
});

test('the fleet in rotation makes the gateway look at every runtime, for the switch and for each retirement', () => {
  const plan = decideGateway(fleetInRotation(200).gateway);
  expect(plan.switch?.may).toBe(false);
  expect(Object.values(plan.retire?.kept ?? {}).map(({ use }) => use)).toContain('RuntimeMayPresent');
});

test('the fleet at rest has nothing to do', () => {
  const plan = decideGateway(gatewayAtRest(200).gateway);
  expect(plan.action).toBeNull();
  expect(plan.probe).toBe(false);
  expect(plan.candidate).toBeNull();
});

test('pairs are parsed cold, then known', async () => {
  const parsing = await benchParsing(50, 2);
  expect(parsing.certificates).toBe(50);
  expect(parsing.again.medianCpuMs).toBeLessThan(parsing.cold.cpuMs);
});
