import { expect, test } from 'vitest';
import type { KubeObject } from '../../kubernetes/resource.ts';
import { readGateway } from './gateway-resource.ts';

const gateway = (...servers: readonly object[]): KubeObject => ({
  metadata: { name: 'klm-watcher' },
  spec: { selector: { istio: 'ingressgateway' }, servers },
});
const server = (hosts: readonly string[], credentialName = 'secret', mode = 'MUTUAL') => ({
  hosts,
  port: { number: 443 },
  tls: { mode, credentialName },
});

test('hosts of every server that names the Secret are covered, without their namespaces and each once', () => {
  const reading = readGateway(gateway(server(['kcp-system/A.example', 'b.example']), server(['b.example'])), 'secret');
  expect(reading).toEqual({ hosts: ['a.example', 'b.example'], ports: [443], selector: { istio: 'ingressgateway' } });
});

test('servers with another Secret or without mutual TLS do not count', () => {
  expect(readGateway(gateway(server(['a'], 'other'), server(['b'], 'secret', 'SIMPLE')), 'secret')).toBeNull();
});

test('a host that no certificate can cover is left out', () => {
  expect(readGateway(gateway(server(['*', '*.example'])), 'secret')?.hosts).toEqual(['*.example']);
  expect(readGateway(gateway(server(['*'])), 'secret')).toBeNull();
});
