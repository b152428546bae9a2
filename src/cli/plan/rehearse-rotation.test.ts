import { describe, expect, test } from 'vitest';
import type { Holdings, Root } from '../../rotation/decide/values.ts';
import { rehearseRotation, type Stage } from './rehearse-rotation.ts';

const dayMs = 86_400_000;
const nowMs = 1_800_000_000_000;
const root: Root = {
  digest: 'aa',
  keyId: 'key-a',
  subject: 'CN=root',
  subjectKeyId: '01',
  notBeforeMs: nowMs - 10 * dayMs,
  notAfterMs: nowMs + 80 * dayMs,
};
const client = { digest: 'client', signer: root.keyId, notAfterMs: nowMs + 60 * dayMs };
const held: Holdings = {
  beyond: 'nothing',
  values: [{ serial: 's1', bundle: [root.digest], client, state: 'confirmed', resourceVersion: '5' }],
};
const pair = { ...client, notBeforeMs: nowMs - dayMs, keyMatches: true };

function stage(runtimes: number, more: Partial<Stage> = {}): Stage {
  return {
    nowMs,
    secret: {
      resourceVersion: '7',
      bundle: [root],
      added: { [root.digest]: '1' },
      closing: [],
      server: {
        digest: 'server',
        signer: root.keyId,
        notBeforeMs: root.notBeforeMs,
        notAfterMs: root.notAfterMs,
        dnsNames: ['gateway.example'],
        isRoot: false,
      },
    },
    candidate: null,
    hosts: ['gateway.example'],
    gatewayPolicy: {
      skewMarginMs: 300_000,
      serverRenewBeforeMs: 30 * dayMs,
      unprovableAfterMs: 96 * 3_600_000,
      revoked: [],
      tainted: [],
      paused: false,
    },
    current: root,
    runtimes: Array.from({ length: runtimes }, (_, index) => ({
      name: `r-${index}`,
      held,
      pair,
      webhook: { serial: 's1', caBundle: [root] },
      unreachable: null,
    })),
    runtimePolicy: {
      skewMarginMs: 300_000,
      renewBeforeMs: 30 * dayMs,
      propagationDelayMs: 120_000,
      fenceMs: 80_000,
      tainted: [],
      revoked: [],
      paused: false,
    },
    waveSize: 50,
    issuerPerSecond: 2,
    gatewayTakesMs: 500,
    ...more,
  };
}
const timeOf = (steps: ReturnType<typeof rehearseRotation>['steps'], what: RegExp): number | undefined =>
  steps.find((step) => what.test(step.what))?.afterMs;

describe('a rotation that is played through', () => {
  test('ends with everything on the new root, in the order of the design', () => {
    const { steps, settles, heldUpBy, waves } = rehearseRotation(stage(4));
    expect(settles).toBe(true);
    expect([heldUpBy, waves]).toEqual([[], 1]);
    const order = [
      /enters the bundle/,
      /kept aside/,
      /get the bundle/,
      /gets the server certificate/,
      /get their new pair/,
      /marked/,
      /leave the bundle/,
    ].map((what) => steps.findIndex((step) => what.test(step.what)));
    expect(order).toEqual([...order].sort((a, b) => a - b));
    expect(order).not.toContain(-1);
  });

  test('takes the delays of the policy and the time of the issuer', () => {
    const { steps } = rehearseRotation(stage(4));
    // The server certificate is valid from the start of its root, so the margin for clocks decides, not the propagation.
    expect(timeOf(steps, /gets the server certificate/)).toBeGreaterThanOrEqual(300_000);
    expect(timeOf(steps, /gets the server certificate/)).toBeLessThan(301_000);
    // Four certificates at two a second, and the margin for clocks.
    expect(timeOf(steps, /get their new pair/)).toBeGreaterThanOrEqual(302_000);
    expect(timeOf(steps, /get their new pair/)).toBeLessThan(303_000);
    // The pairs have to be proven before the old root leaves.
    expect(timeOf(steps, /leave the bundle/)).toBeGreaterThanOrEqual(302_000 + 120_000);
  });

  test('holds a new pair back until the API servers must know its root, where a runtime has a webhook', () => {
    const base = stage(4);
    const prompt = {
      ...base,
      gatewayPolicy: { ...base.gatewayPolicy, skewMarginMs: 0 },
      runtimePolicy: { ...base.runtimePolicy, skewMarginMs: 0 },
    };
    const pairAfterMs = (webhook: Stage['runtimes'][number]['webhook']) => {
      const runtimes = base.runtimes.map((runtime) => ({ ...runtime, webhook }));
      const { steps, settles } = rehearseRotation({ ...prompt, runtimes });
      expect(settles).toBe(true);
      return timeOf(steps, /get their new pair/);
    };
    // Four certificates at two a second; the propagation delay counts from the write of the caBundle at the start.
    expect(pairAfterMs(null)).toBeLessThan(3_000);
    for (const webhook of [{ serial: 's1', caBundle: [root] }, undefined]) {
      expect(pairAfterMs(webhook)).toBeGreaterThanOrEqual(120_000);
      expect(pairAfterMs(webhook)).toBeLessThan(121_000);
    }
  });

  test('goes in waves as large as the policy allows', () => {
    const { steps, waves, settles } = rehearseRotation(stage(120));
    const asked = steps.filter(({ what }) => /certificates are asked for/.test(what)).map(({ runtimes }) => runtimes);
    expect(asked).toEqual([50, 50, 20]);
    expect([waves, settles]).toEqual([3, true]);
  });

  test('names who holds up the switch, and why', () => {
    const base = stage(3);
    const runtimes = base.runtimes.map((runtime, index) =>
      index === 1 ? { ...runtime, unreachable: 'RuntimeUnreachable' as const } : runtime,
    );
    const { settles, heldUpBy, steps, kept } = rehearseRotation({ ...base, runtimes });
    expect(settles).toBe(false);
    expect(heldUpBy).toEqual([{ name: 'r-1', reason: 'RuntimeUnreachable' }]);
    expect(timeOf(steps, /gets the server certificate/)).toBeUndefined();
    // The others get their certificates all the same (L2).
    expect(steps.find(({ what }) => /get their new pair/.test(what))?.runtimes).toBe(2);
    expect(kept.map(({ root: stays }) => stays)).toContain('aa');
  });

  test('stops after the bundle where the trust domain is paused', () => {
    const base = stage(2);
    const { steps, settles } = rehearseRotation({
      ...base,
      gatewayPolicy: { ...base.gatewayPolicy, paused: true },
      runtimePolicy: { ...base.runtimePolicy, paused: true },
    });
    expect(settles).toBe(false);
    expect(steps.map(({ what }) => what)).toEqual([
      'the current root enters the bundle of the gateway',
      'runtimes get the bundle',
    ]);
  });

  test('says that a root of this name would not enter where the one in use has no key identifier', () => {
    const base = stage(1);
    const nameless = { ...root, subjectKeyId: null };
    const secret = base.secret === null ? null : { ...base.secret, bundle: [nameless] };
    const { refused, steps } = rehearseRotation({ ...base, secret, current: nameless });
    expect([refused, steps]).toEqual([['RootWithoutKeyIdentifier'], []]);
  });

  test('of a large fleet is played through in seconds', () => {
    const { waves, settles } = rehearseRotation(stage(2_000));
    expect([waves, settles]).toEqual([40, true]);
  }, 20_000);
});
