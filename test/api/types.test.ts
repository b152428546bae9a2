import { describe, expect, expectTypeOf, test } from 'vitest';
import { type Held, heldIn } from '../../src/api/held.ts';
import type { RuntimeTrustStatus } from '../../src/api/runtime-trust.ts';
import { type AsRead, type AsWritten, withDefaults } from '../../src/api/schema.ts';
import { type TrustDomainSpec, type TrustDomainSpecWritten, trustDomainDefaults } from '../../src/api/trust-domain.ts';
import type { TrustDomainStatus } from '../../src/api/trust-domain-status.ts';
import type { StoredProof } from '../../src/rotation/decide/gateway-journal.ts';
import { type Holdings, LOST, type TrustedRoot } from '../../src/rotation/decide/values.ts';

describe('types that follow from a schema', () => {
  const schema = {
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string' },
      size: { type: 'integer', default: 3 },
      kind: { type: 'string', enum: ['a', 'b'] },
      end: { type: 'string', nullable: true },
      parts: { type: 'array', maxItems: 3, items: { type: 'boolean' } },
      labels: { type: 'object', maxProperties: 3, additionalProperties: { type: 'string' } },
    },
  } as const;

  test('a field with a default is always there when read and may be left out when written', () => {
    expectTypeOf<AsRead<typeof schema>>().toEqualTypeOf<{
      readonly name: string;
      readonly size: number;
      readonly kind?: 'a' | 'b';
      readonly end?: string | null;
      readonly parts?: readonly boolean[];
      readonly labels?: Readonly<Record<string, string>>;
    }>();
    expectTypeOf<AsWritten<typeof schema>['size']>().toEqualTypeOf<number | undefined>();
    expect(withDefaults(schema, { name: 'x', end: null })).toEqual({ name: 'x', size: 3, end: null });
  });

  test('the spec of an empty TrustDomain is that of a Kyma hub', () => {
    expectTypeOf<Record<string, never>>().toExtend<TrustDomainSpecWritten>();
    expectTypeOf<TrustDomainSpec['issuer']['subject']['countries']>().toEqualTypeOf<readonly string[]>();
    const spec = trustDomainDefaults();
    expect(spec.rootSecretRef).toEqual({ namespace: 'istio-system', name: 'klm-watcher' });
    expect(spec.gatewaySecretRef.name).toBe('klm-istio-gateway');
    expect(spec.runtimes.kyma).toEqual({ namespace: 'kcp-system', kubeconfigNamespace: 'kcp-system' });
    expect(spec.runtimes.selector).toBeUndefined();
    expect(spec.issuer.subject.provinces).toEqual(['Baden-Württemberg']);
    expect(spec.proof).toEqual({ level: 'delivered', propagationDelay: '2m', unprovableAfter: '96h' });
    expect(spec.paused).toBe(false);
  });
});

describe('statuses and decisions', () => {
  test('records, trusted roots and proofs go from a status into a decision and back without a mapping', () => {
    expectTypeOf<Held>().toExtend<Holdings>();
    expectTypeOf<Holdings>().toExtend<Held>();
    const stored: NonNullable<RuntimeTrustStatus['held']> = LOST;
    expect(stored.values).toEqual([]);
    expectTypeOf<NonNullable<TrustDomainStatus['trusted']>[number]>().toEqualTypeOf<TrustedRoot>();
    expectTypeOf<NonNullable<TrustDomainStatus['proof']>>().toEqualTypeOf<StoredProof>();
  });

  test('a status without a record is a lost record', () => {
    expect(heldIn(undefined)).toEqual(LOST);
    expect(heldIn({ clusterUid: 'u', bundleCount: 2 })).toEqual(LOST);
  });

  test('a client that an API server left out is no client, and a signer left out is unknown', () => {
    const value = { serial: '1', bundle: [], state: 'intended', resourceVersion: '' } as const;
    const client = { digest: 'd', notAfterMs: 5 };
    expect(heldIn({ held: { beyond: 'nothing', values: [value, { ...value, client }] } }).values).toEqual([
      { ...value, client: null },
      { ...value, client: { ...client, signer: null } },
    ]);
  });
});
