import { expect, test } from 'vitest';
import { trustDomainDefaults } from '../api/trust-domain.ts';
import { certificateResource, saysAll } from './certificate-resource.ts';

const wanted = {
  runtime: 'kyma-1',
  commonName: 'id-1',
  dnsNames: ['kyma-1.example.com', 'skr-webhook.kyma-system.svc'],
};
const { issuer } = trustDomainDefaults({ runtimes: { kyma: {} } });
const resource = certificateResource(issuer, wanted);
const standing = (change: object) => ({ ...resource, spec: { ...(resource['spec'] as object), ...change } });

test('with the defaults it is the Certificate that the lifecycle-manager writes', () => {
  expect(resource).toMatchObject({
    metadata: { name: 'kyma-1-webhook-tls', namespace: 'istio-system' },
    spec: {
      commonName: 'id-1',
      duration: '1440h',
      renewBefore: '720h',
      secretName: 'kyma-1-webhook-tls',
      secretTemplate: {
        labels: {
          'operator.kyma-project.io/purpose': 'klm-watcher-cert-manager',
          'operator.kyma-project.io/managed-by': 'lifecycle-manager',
        },
      },
      issuerRef: { name: 'klm-watcher-selfsigned', kind: 'Issuer' },
      isCA: false,
      usages: ['digital signature', 'key encipherment'],
      subject: { organizations: ['SAP SE'], organizationalUnits: ['BTP Kyma Runtime'] },
      privateKey: { rotationPolicy: 'Always', encoding: 'PKCS1', algorithm: 'RSA', size: 4096 },
    },
  });
});

test('the same in the spelling of Go, or with what others have added, is not written again', () => {
  expect(saysAll(standing({ duration: '1440h0m0s', renewBefore: '720h0m0s' }), resource)).toBe(true);
  expect(saysAll(standing({ issuerRef: { name: 'klm-watcher-selfsigned', kind: 'Issuer' } }), resource)).toBe(true);
  expect(saysAll(standing({ revisionHistoryLimit: 1 }), resource)).toBe(true);
});

test('another name, order, duration or key is a difference', () => {
  for (const change of [
    { commonName: 'id-2' },
    { dnsNames: [...wanted.dnsNames].reverse() },
    { dnsNames: [...wanted.dnsNames, 'more'] },
    { duration: '1441h' },
    { privateKey: { rotationPolicy: 'Always', encoding: 'PKCS1', algorithm: 'RSA', size: 2048 } },
    { issuerRef: { name: 'other', kind: 'Issuer' } },
  ]) {
    expect(saysAll(standing(change), resource)).toBe(false);
  }
});
