import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitUntil } from './wait.ts';
import { startWorld, type World } from './world.ts';

let world: World;
let failed = true;
beforeAll(async () => {
  world = await startWorld({ runtimes: 0, certManager: { approve: false, backoffSeconds: 1 } });
});
afterAll(async () => {
  await world?.stop({ failed });
});

const group = '/apis/cert-manager.io/v1/namespaces/istio-system';

test('a Certificate is issued once somebody approves its request, and tried again soon after a denial', async () => {
  const { client } = world.hub;
  await client.apply(`${group}/issuers/root`, {
    apiVersion: 'cert-manager.io/v1',
    kind: 'Issuer',
    metadata: { name: 'root', namespace: 'istio-system' },
    spec: { selfSigned: {} },
  });
  await client.apply(`${group}/certificates/root`, {
    apiVersion: 'cert-manager.io/v1',
    kind: 'Certificate',
    metadata: { name: 'root', namespace: 'istio-system' },
    spec: {
      isCA: true,
      commonName: 'root',
      secretName: 'root',
      privateKey: { algorithm: 'ECDSA', size: 256, rotationPolicy: 'Always' },
      issuerRef: { name: 'root', kind: 'Issuer' },
    },
  });
  const first = await nextRequest([]);
  await judge(first, 'Denied');
  const second = await nextRequest([first]);
  expect(await client.find('/api/v1/namespaces/istio-system/secrets/root')).toBeUndefined();
  await judge(second, 'Approved');
  const issued = async () => (await client.find('/api/v1/namespaces/istio-system/secrets/root')) !== undefined;
  expect(await waitUntil(issued, { everyMs: 100, timeoutMs: 20_000 })).toBe(true);
  expect(world.failures()).toEqual([]);
  failed = false;
});

async function nextRequest(known: readonly string[]): Promise<string> {
  let name: string | undefined;
  await waitUntil(
    async () => {
      const { items } = (await world.hub.client.send('GET', `${group}/certificaterequests`)) as {
        items?: { metadata: { name: string } }[];
      };
      name = items?.map(({ metadata }) => metadata.name).find((one) => !known.includes(one));
      return name !== undefined;
    },
    { everyMs: 100, timeoutMs: 20_000 },
  );
  if (name === undefined) throw new Error('cert-manager made no CertificateRequest within 20 s');
  return name;
}

async function judge(name: string, type: 'Approved' | 'Denied'): Promise<void> {
  const condition = {
    type,
    status: 'True',
    reason: 'Test',
    message: 'judged by the test',
    lastTransitionTime: new Date().toISOString(),
  };
  const body = { status: { conditions: [condition] } };
  const contentType = 'application/merge-patch+json';
  await world.hub.client.send('PATCH', `${group}/certificaterequests/${name}/status`, { body, contentType });
}
