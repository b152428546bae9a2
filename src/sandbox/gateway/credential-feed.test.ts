import { expect, test } from 'vitest';
import type { SecretObject } from '../../kubernetes/resource.ts';
import { credentialFrom } from './credential-feed.ts';

const secret = (data: Readonly<Record<string, string>>, resourceVersion = '7'): SecretObject => ({
  metadata: { name: 'klm-istio-gateway', resourceVersion },
  data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')])),
});
const tls = { 'tls.crt': 'tls cert', 'tls.key': 'tls key', 'ca.crt': 'tls ca' };
const general = { cert: 'general cert', key: 'general key', cacert: 'general ca' };

test('a Secret of its own goes before the bundle, and the general names before those of TLS', () => {
  expect(credentialFrom(secret(tls), undefined)).toEqual({
    pair: { certificatePem: 'tls cert', keyPem: 'tls key' },
    bundlePem: 'tls ca',
    version: '7',
  });
  expect(credentialFrom(secret({ ...tls, ...general }), undefined)).toMatchObject({
    pair: { certificatePem: 'general cert', keyPem: 'general key' },
    bundlePem: 'general ca',
  });
  const own = secret({ 'ca.crt': 'own ca' }, '9');
  expect(credentialFrom(secret(tls), own)).toMatchObject({ bundlePem: 'own ca', version: '7+9' });
});

test('empty counts as missing', () => {
  expect(credentialFrom(secret({ ...tls, ...general, key: '' }), secret({ cacert: '' }))).toMatchObject({
    pair: { certificatePem: 'tls cert' },
    bundlePem: undefined,
  });
  expect(credentialFrom(secret({ ...tls, cacert: '' }), undefined)).toMatchObject({ bundlePem: 'tls ca' });
  expect(credentialFrom(secret({ 'tls.crt': 'tls cert' }), undefined)).toMatchObject({
    pair: undefined,
    bundlePem: undefined,
  });
});
