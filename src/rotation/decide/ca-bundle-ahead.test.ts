import { expect, test } from 'vitest';
import { decideRuntime, type RuntimeObserved, type StandingWebhook } from './runtime.ts';
import type { Root } from './values.ts';

const root: Root = {
  digest: 'root',
  keyId: 'key',
  subject: 'root',
  subjectKeyId: null,
  notBeforeMs: 0,
  notAfterMs: 1e12,
};
const pair = { digest: 'leaf', signer: 'key', notBeforeMs: 0, notAfterMs: 1e12, keyMatches: true };

function observed(webhook: StandingWebhook | null): RuntimeObserved {
  return {
    nowMs: 1e9,
    monotonicMs: 0,
    policy: {
      skewMarginMs: 0,
      renewBeforeMs: 0,
      propagationDelayMs: 10,
      fenceMs: 10,
      tainted: [],
      revoked: [],
      paused: false,
    },
    cluster: { state: 'read', secret: null, webhook },
    hub: {
      gateway: { resourceVersion: '1', bundle: [root], added: { root: '0' }, server: null, closing: [] },
      trusted: [{ digest: 'root', added: '0' }],
      current: root,
      certificate: {
        exists: true,
        asSpecified: true,
        issuing: false,
        backOffUntilMs: 0,
        failures: 0,
        askedFor: null,
        pair,
      },
      mayRenew: true,
      taintedAhead: false,
    },
    held: { beyond: 'nothing', values: [] },
    seen: {},
    registered: {},
    nextSerial: 'new',
  };
}

const webhook = (caBundle: readonly Root[], possible: StandingWebhook['possible']): StandingWebhook => ({
  resourceVersion: '7',
  serial: '',
  caBundle,
  possible,
});

test('a runtime with a webhook and no pair gets its caBundle before its first pair', () => {
  const plan = decideRuntime(observed(webhook([], [null, []])));
  expect(plan.action).toEqual({ do: 'writeCaBundle', serial: 'new', baseVersion: '7', caBundle: [root] });
  expect(plan.waits).toContain('WebhookMayNotTrustSigner');
});

test('once the caBundle is written it is not written again while its API servers take it up', () => {
  expect(decideRuntime(observed(webhook([root], [null, [], [root]]))).action).toBeNull();
});

test('once its API servers use the caBundle the first pair is registered', () => {
  expect(decideRuntime(observed(webhook([root], [[root]]))).action).toMatchObject({ do: 'record' });
});
