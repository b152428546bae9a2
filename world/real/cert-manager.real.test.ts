import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitUntil } from '../wait.ts';
import { type RealWorld, startWorld } from './world.ts';

let world: RealWorld;
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
  const known: Request[] = [await nextRequest([])];
  await judge(known[0] as Request, 'Denied');
  known.push(await nextRequest(known));
  expect(await isIssued()).toBe(false);
  // cert-manager may replace a request more than once on its way back from a failure.
  await judge(known[1] as Request, 'Approved');
  const issued = await waitUntil(
    async () => {
      for (const request of await requests())
        if (!known.some(({ uid }) => uid === request.uid)) await judge(request, 'Approved');
      return isIssued();
    },
    { everyMs: 100, timeoutMs: 20_000 },
  );
  expect(issued).toBe(true);
  expect(world.failures()).toEqual([]);
  failed = false;
});

interface Request {
  readonly name: string;
  readonly uid: string;
}

async function isIssued(): Promise<boolean> {
  return (await world.hub.client.find('/api/v1/namespaces/istio-system/secrets/root')) !== undefined;
}

async function requests(): Promise<readonly Request[]> {
  const list = await world.hub.client.send('GET', `${group}/certificaterequests`);
  return (list['items'] as readonly { readonly metadata: Request }[]).map(({ metadata }) => metadata);
}

/** By uid: a request that takes the place of a denied one has its name. */
async function nextRequest(known: readonly Request[]): Promise<Request> {
  let next: Request | undefined;
  await waitUntil(
    async () => {
      next = (await requests()).find(({ uid }) => !known.some((one) => one.uid === uid));
      return next !== undefined;
    },
    { everyMs: 100, timeoutMs: 20_000 },
  );
  if (next === undefined) throw new Error('cert-manager made no CertificateRequest within 20 s');
  return next;
}

async function judge({ name }: Request, type: 'Approved' | 'Denied'): Promise<void> {
  const lastTransitionTime = new Date().toISOString();
  const body = {
    status: { conditions: [{ type, status: 'True', reason: 'Test', message: 'judged', lastTransitionTime }] },
  };
  const contentType = 'application/merge-patch+json';
  await world.hub.client.send('PATCH', `${group}/certificaterequests/${name}/status`, { body, contentType });
}
