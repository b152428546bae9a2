import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { heldIn } from '../../src/api/held.ts';
import { crds } from '../../src/api/manifests.ts';
import { GROUP } from '../../src/api/names.ts';
import { hubRbac, runtimeRbac, userRoles } from '../../src/api/rbac.ts';
import type { RuntimeTrust } from '../../src/api/runtime-trust.ts';
import { type TrustDomain, type TrustDomainSpecWritten, trustDomainDefaults } from '../../src/api/trust-domain.ts';
import type { Holdings } from '../../src/rotation/decide/values.ts';
import { connectTo, type KubernetesObject } from '../../world/cluster-client.ts';
import { applyCrds } from '../../world/crds.ts';
import { type ApiServer, type ApiServers, startApiServers } from '../../world/real/api-servers.ts';
import { createTokenUser, manifestPath } from '../../world/token-user.ts';
import { openWorkspace, type Workspace } from '../../world/workspace.ts';

let workspace: Workspace;
let servers: ApiServers;
let hub: ApiServer;
let written = 0;

beforeAll(async () => {
  workspace = await openWorkspace();
  servers = await startApiServers(workspace);
  hub = await servers.start('hub');
  await applyCrds(hub.client, crds() as readonly KubernetesObject[]);
  for (const name of ['kcp-system', 'istio-system', 'kyma-system']) {
    await hub.client.apply(`/api/v1/namespaces/${name}`, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name },
    });
  }
});
afterAll(async () => {
  await servers?.stop();
  await workspace?.close({ keepLogs: false });
});

const domains = `/apis/${GROUP}/v1alpha1/namespaces/kcp-system/trustdomains`;
const records = `/apis/${GROUP}/v1alpha1/namespaces/kcp-system/runtimetrusts`;

/** Strict, so that a field which the schema lacks is an error and not dropped. */
async function create(spec: TrustDomainSpecWritten | undefined): Promise<TrustDomain> {
  written += 1;
  const body = {
    apiVersion: `${GROUP}/v1alpha1`,
    kind: 'TrustDomain',
    metadata: { name: `domain-${written}` },
    ...(spec === undefined ? {} : { spec }),
  };
  return (await hub.client.send('POST', `${domains}?fieldValidation=Strict`, { body })) as unknown as TrustDomain;
}

async function change(domain: TrustDomain, spec: unknown): Promise<TrustDomain> {
  const path = `${domains}/${domain.metadata.name}`;
  const options = { body: { spec }, contentType: 'application/merge-patch+json' };
  return (await hub.client.send('PATCH', path, options)) as unknown as TrustDomain;
}

describe('the API server takes a TrustDomain', () => {
  test('without a spec, and fills in the defaults of a Kyma hub as we do', async () => {
    expect((await create(undefined)).spec).toEqual(trustDomainDefaults());
  });

  test('with a part of each field, and fills in the rest as we do', async () => {
    const spec: TrustDomainSpecWritten = {
      rootSecretRef: { name: 'root' },
      probe: { addresses: [{ host: '127.0.0.1', port: 8443 }], interval: '200ms' },
      issuer: { privateKey: { algorithm: 'ECDSA', size: 256 }, subject: { countries: [] } },
      runtimes: { selector: { namespace: 'fleet', matchLabels: { runtime: 'yes' } }, webhook: { name: 'other' } },
      revoked: [{ publicKey: 'a'.repeat(64), reason: 'leaked' }],
    };
    expect((await create(spec)).spec).toEqual(trustDomainDefaults(spec));
  });
});

describe('the API server refuses', () => {
  test.each<[string, TrustDomainSpecWritten, RegExp]>([
    ['two kinds of fleet', { runtimes: { kyma: {}, selector: { namespace: 'a', matchLabels: {} } } }, /exactly one of/],
    ['no kind of fleet', { runtimes: { webhook: { name: 'x' } } }, /exactly one of/],
    ['a runtime given up before it can be proven', { proof: { unprovableAfter: '1m' } }, /unprovableAfter must not/],
    ['a renewal at once', { issuer: { duration: '1h', renewBefore: '1h' } }, /renewBefore must be shorter/],
    ['a server renewal at once', { serverCertificate: { duration: '24h' } }, /renewBefore must be shorter/],
    ['an RSA key of 256 bits', { issuer: { privateKey: { size: 256 } } }, /size must be/],
    ['a duration without a unit', { skewMargin: '5' }, /skewMargin/],
    ['a revoked root that is no digest', { revoked: [{ publicKey: 'CN=root' }] }, /publicKey/],
    ['a probe of no port', { probe: { addresses: [{ host: 'a', port: 0 }] } }, /port/],
  ])('%s', async (_, spec, message) => {
    await expect(create(spec)).rejects.toThrow(message);
  });

  test.each([
    ['the gateway Secret', { gatewaySecretRef: { name: 'other' } }, /gatewaySecretRef cannot be changed/],
    ['the Secret of the runtimes', { runtimes: { secret: { name: 'other' } } }, /secret cannot be changed/],
    ['where the Kymas are', { runtimes: { kyma: { namespace: 'other' } } }, /kyma cannot be changed/],
    [
      'the kind of the fleet',
      { runtimes: { kyma: null, selector: { namespace: 'a', matchLabels: {} } } },
      /kyma cannot be replaced by selector/,
    ],
  ])('a change of %s', async (_, spec, message) => {
    const domain = await create({ runtimes: { kyma: {} } });
    await expect(change(domain, spec)).rejects.toThrow(message);
    expect((await change(domain, { paused: true })).spec.paused).toBe(true);
  });
});

describe('the status of a runtime', () => {
  const held: Holdings = {
    beyond: 'nothing',
    values: [
      { serial: 'a-1', bundle: [], client: null, state: 'adopted', resourceVersion: '7' },
      {
        serial: 'a-2',
        bundle: ['b'.repeat(64)],
        client: { digest: 'c'.repeat(64), signer: null, notAfterMs: 4_102_444_800_000 },
        state: 'intended',
        resourceVersion: '',
      },
    ],
  };

  test('keeps the record as it was written, nulls included', async () => {
    const metadata = { name: 'kyma-1' };
    const spec = { trustDomainRef: { name: 'domain-1' } };
    const body = { apiVersion: `${GROUP}/v1alpha1`, kind: 'RuntimeTrust', metadata, spec };
    const created = await hub.client.send('POST', records, { body });
    const path = `${records}/kyma-1/status?fieldValidation=Strict`;
    const update = { ...created, status: { held, clusterUid: 'u', root: '', waits: ['PairMissing'] } };
    await hub.client.send('PUT', path, { body: update });
    const read = (await hub.client.send('GET', `${records}/kyma-1`)) as unknown as RuntimeTrust;
    expect(heldIn(read.status)).toEqual(held);
    const applied = await hub.client.send('PATCH', `${path}&fieldManager=keyturn&force=true`, {
      contentType: 'application/apply-patch+yaml',
      body: { apiVersion: `${GROUP}/v1alpha1`, kind: 'RuntimeTrust', metadata, status: { held } },
    });
    expect(heldIn((applied as unknown as RuntimeTrust).status)).toEqual(held);
    const selected = await hub.client.send('GET', `${records}?fieldSelector=spec.trustDomainRef.name%3Ddomain-1`);
    expect(selected['items']).toHaveLength(1);
  });
});

describe('the roles', () => {
  test('are manifests that the API server takes', async () => {
    const spec = trustDomainDefaults();
    for (const manifest of [...hubRbac(spec, 'kcp-system'), ...runtimeRbac(spec), ...userRoles()]) {
      expect((await hub.client.apply(manifestPath(manifest), manifest)).kind).toBe(manifest.kind);
    }
  });

  test('let the operator read what it watches, and write neither the root Secret nor a foreign one', async () => {
    const kubeconfig = await createTokenUser(hub, hubRbac(trustDomainDefaults(), 'kcp-system'));
    const token = /token: (.+)/.exec(kubeconfig)?.[1] ?? '';
    const client = connectTo({ server: hub.server, caPem: hub.caPem, token });
    const secrets = '/api/v1/namespaces/istio-system/secrets';
    const secret = (name: string) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name } });
    try {
      await client.send('GET', secrets);
      await client.send('GET', domains);
      const gateway = await client.send('POST', secrets, { body: secret('klm-istio-gateway') });
      await client.send('PUT', `${secrets}/klm-istio-gateway`, { body: gateway });
      const root = await hub.client.send('POST', secrets, { body: secret('klm-watcher') });
      const foreign = await hub.client.send('POST', secrets, { body: secret('foreign') });
      for (const [name, body] of Object.entries({ 'klm-watcher': root, foreign })) {
        await expect(client.send('PUT', `${secrets}/${name}`, { body })).rejects.toMatchObject({ status: 403 });
      }
      await expect(client.send('GET', '/api/v1/secrets')).rejects.toMatchObject({ status: 403 });
    } finally {
      await client.close();
    }
  });

  test('let the operator reach one Secret of a runtime and list none', async () => {
    const kubeconfig = await createTokenUser(hub, runtimeRbac(trustDomainDefaults()));
    const token = /token: (.+)/.exec(kubeconfig)?.[1] ?? '';
    const client = connectTo({ server: hub.server, caPem: hub.caPem, token });
    const secrets = '/api/v1/namespaces/kyma-system/secrets';
    try {
      const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'skr-webhook-tls' } };
      await client.send('POST', secrets, { body });
      await client.send('GET', `${secrets}/skr-webhook-tls`);
      await client.send('GET', '/api/v1/namespaces/kube-system');
      await expect(client.send('GET', secrets)).rejects.toMatchObject({ status: 403 });
      await expect(client.send('GET', '/api/v1/namespaces/kyma-system')).rejects.toMatchObject({ status: 403 });
    } finally {
      await client.close();
    }
  });
});
