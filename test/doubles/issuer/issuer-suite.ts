import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { World } from '../../../world/world.ts';
import { type Side, untold } from '../differences.ts';
import { authorities } from './authorities.behaviours.ts';
import { certificates } from './certificates.behaviours.ts';
import { failures } from './failures.behaviours.ts';
import { issuerDifferences } from './issuer-differences.ts';
import { type IssuerUnderTest, openIssuer } from './issuer-under-test.ts';
import { issuingAgain } from './issuing-again.behaviours.ts';

/** What an issuer does, held against one of the two: every sentence is true of both. */
export function describeIssuer(side: Side, start: () => Promise<World>): void {
  let world: World;
  let issuer: IssuerUnderTest;

  describe(`the issuer (${side})`, { timeout: 120_000 }, () => {
    beforeAll(async () => {
      world = await start();
      issuer = await openIssuer(side, world);
    });
    afterAll(async () => {
      await issuer?.stop();
      const logs = await world?.stop();
      if (logs !== undefined) console.log(`Logs: ${logs}`);
    });

    // At once, since most of their time is waiting for the issuer. Each has names of its own.
    describe.concurrent('at work', () => {
      describe('on certificates', () => certificates(() => issuer));
      describe('that are issued again', () => issuingAgain(() => issuer));
      describe('with authorities', () => authorities(() => issuer));
      describe('that fails', () => failures(() => issuer));
    });

    test('differs in what is known and told, and in nothing else', async () => {
      expect(issuer.unmet()).toEqual([]);
      expect(await untold(issuerDifferences)).toEqual([]);
      expect(world.failures()).toEqual([]);
    });
  });
}
