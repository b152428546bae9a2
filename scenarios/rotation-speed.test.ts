import { expect, it } from 'vitest';
import type { Rotation } from '../src/checker/rotations.ts';
import { realPace } from './policy.ts';
import { speedLines, speedOf } from './rotation-speed.ts';

const policy = { ...realPace.policy, propagationDelayMs: 10_000, skewMarginMs: 1_000 };

const rotation = (given: Partial<Rotation>): Rotation => ({
  atMs: 0,
  kind: 'rekey',
  rootDigest: 'a',
  overlapping: false,
  unhurried: true,
  bundleMs: 500,
  issuerMs: 2_000,
  pairMs: 10_900,
  pairAfterIssuerMs: 8_900,
  serverWrittenMs: 10_800,
  serverMs: 12_000,
  switchAfterBundleMs: 10_300,
  oldRootLeftMs: 25_000,
  ...given,
});

it("takes the policy's delays from the times, and says so", () => {
  const speed = speedOf([rotation({})], policy);
  expect(speed.pairBeyondMs?.worstMs).toBe(400);
  expect(speed.switchAfterProofMs?.worstMs).toBe(300);
  expect(speedLines([rotation({})], policy).join('\n')).toContain("the policy's 10.0 s");
});

it('counts from the issuer where that is later than the delay', () => {
  const slowIssuer = rotation({ issuerMs: 20_000, pairMs: 21_200 });
  expect(speedOf([slowIssuer], policy).pairBeyondMs?.worstMs).toBe(200);
});

it('leaves out hurried rotations, and renewals where their pairs were good already', () => {
  const speed = speedOf(
    [
      rotation({}),
      rotation({ unhurried: false, bundleMs: 9_000 }),
      rotation({ kind: 'renew', pairMs: 0, bundleMs: 700 }),
    ],
    policy,
  );
  expect(speed.bundleMs).toEqual({ medianMs: 600, worstMs: 700, count: 2 });
  expect(speed.pairMs).toEqual({ medianMs: 10_900, worstMs: 10_900, count: 1 });
});

it('has no time for what never came to pass', () => {
  expect(speedOf([rotation({ pairMs: null })], policy).pairMs).toBeNull();
});
