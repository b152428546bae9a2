import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { World } from '../../../world/world.ts';
import { type Side, untold } from '../differences.ts';
import { changes } from './changes.behaviours.ts';
import { forwarding } from './forwarding.behaviours.ts';
import { gatewayDifferences } from './gateway-differences.ts';
import { type GatewayUnderTest, openGateway } from './gateway-under-test.ts';
import { handshakes } from './handshakes.behaviours.ts';

/** What a gateway does, held against one of the two: every sentence is true of both. */
export function describeGateway(side: Side, start: () => Promise<World>): void {
  let world: World;
  let gateway: GatewayUnderTest;

  describe(`the gateway (${side})`, { timeout: 60_000 }, () => {
    beforeAll(async () => {
      world = await start();
      gateway = openGateway(side, world);
    });
    afterAll(async () => {
      await gateway?.stop();
      const logs = await world?.stop();
      if (logs !== undefined) console.log(`Logs: ${logs}`);
    });

    // One after the other: they all change the one Secret. The first needs that there is none yet.
    describe('at a handshake', () => handshakes(() => gateway));
    describe('whose Secret changes', () => changes(() => gateway));
    describe('that forwards a request', () => forwarding(() => gateway));

    test('differs in what is known and told, and in nothing else', async () => {
      expect(gateway.unmet()).toEqual([]);
      expect(await untold(gatewayDifferences)).toEqual([]);
      expect(world.failures()).toEqual([]);
    });
  });
}
