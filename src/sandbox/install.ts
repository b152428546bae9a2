import type { Manifest } from '../api/crd.ts';
import { hubManifests } from '../api/manifests.ts';
import { DEFAULT_NAMESPACE, KYMA, KYMA_LABEL, TRUST_DOMAIN } from '../api/names.ts';
import { runtimeRbac } from '../api/rbac.ts';
import { type TrustDomainSpecWritten, trustDomainDefaults } from '../api/trust-domain.ts';
import type { CallOptions } from '../kubernetes/answer.ts';
import type { KubeClient } from '../kubernetes/client.ts';
import { apiVersionOf, type KubeObject, type Resource } from '../kubernetes/resource.ts';
import { kubeconfigOf } from './api-server/start-cluster.ts';
import { ISSUER } from './issuer/kinds.ts';
import type { EmbeddedPlace, EmbeddedWorld } from './world.ts';

/** What a person installs: our kinds and roles on the hub, an issuer, a trust domain, and runtimes as Kyma registers them. */

const fieldManager = 'keyturn-sandbox';
const ourAccount = 'keyturn';
export const domainName = 'klm-watcher';

/** Our kinds and roles, and the issuer of client certificates. @returns a kubeconfig with the operator's published rights and no others */
export async function installHub({ hub }: EmbeddedWorld, call: CallOptions): Promise<string> {
  for (const manifest of hubManifests()) await applyManifest(hub.client, manifest, call);
  const { issuer } = trustDomainDefaults();
  await hub.client.apply(
    ISSUER,
    {
      metadata: { name: issuer.ref.name, namespace: issuer.namespace },
      spec: { ca: { secretName: trustDomainDefaults().rootSecretRef.name } },
    },
    { ...call, fieldManager, force: true },
  );
  return tokenKubeconfig(hub, DEFAULT_NAMESPACE, call);
}

export async function applyTrustDomain(
  { hub }: EmbeddedWorld,
  spec: TrustDomainSpecWritten,
  call: CallOptions,
): Promise<void> {
  const metadata = { name: domainName, namespace: DEFAULT_NAMESPACE };
  await hub.client.apply(TRUST_DOMAIN, { metadata, spec }, { ...call, fieldManager, force: true });
}

/** Registers a runtime: its webhook, the Secret by which the hub reaches it, and the Kyma that makes it a member. */
export async function registerRuntime(
  { hub, runtimes }: EmbeddedWorld,
  name: string,
  call: CallOptions,
): Promise<void> {
  const runtime = runtimes.get(name);
  if (runtime === undefined) throw new Error(`No runtime ${name}: there are ${[...runtimes.keys()].join(', ')}`);
  for (const manifest of [...runtimeRbac(trustDomainDefaults()), webhookConfiguration]) {
    await applyManifest(runtime.client, manifest, call);
  }
  const { secret } = trustDomainDefaults().runtimes;
  const config = await tokenKubeconfig(runtime, secret.namespace, call);
  const put = (manifest: KubeObject) => applyManifest(hub.client, manifest, call);
  await put({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: `kubeconfig-${name}`, namespace: DEFAULT_NAMESPACE, labels: { [KYMA_LABEL.kymaName]: name } },
    data: { config: Buffer.from(config).toString('base64') },
  });
  await put(kymaOf(name));
}

/** What makes a runtime of this name a member of the fleet. */
export function kymaOf(name: string): KubeObject {
  return {
    apiVersion: apiVersionOf(KYMA),
    kind: KYMA.kind,
    metadata: {
      name,
      namespace: DEFAULT_NAMESPACE,
      labels: { 'kyma-project.io/runtime-id': `id-${name}` },
      annotations: { 'skr-domain': `${name}.kyma.local` },
    },
    spec: { channel: 'regular' },
  };
}

/** The webhook of today's watcher: its rule meets nothing, so that nobody has to answer it. */
export const webhookConfiguration: KubeObject = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: trustDomainDefaults().runtimes.webhook.name },
  webhooks: [
    {
      name: 'kcp-system.klm-watcher.operator.kyma-project.io',
      admissionReviewVersions: ['v1'],
      sideEffects: 'NoneOnDryRun',
      failurePolicy: 'Ignore',
      timeoutSeconds: 1,
      clientConfig: { url: 'https://localhost:9443/validate/lifecycle-manager' },
      rules: [
        { apiGroups: ['nothing.keyturn.example'], apiVersions: ['*'], resources: ['nothings'], operations: ['CREATE'] },
      ],
    },
  ],
};

/** A kubeconfig (YAML) with a token of a service account. @param account the one that our manifests make, if no other */
export async function tokenKubeconfig(
  { cluster, client }: EmbeddedPlace,
  namespace: string,
  call: CallOptions,
  account = ourAccount,
): Promise<string> {
  const answer = await client.send(
    {
      verb: 'create',
      resource: undefined,
      method: 'POST',
      path: `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`,
      query: {},
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { expirationSeconds: 86_400 },
      }),
    },
    call,
  );
  const { status } = JSON.parse(answer.text) as { readonly status: { readonly token: string } };
  const { name, server, caPem } = cluster;
  return kubeconfigOf({ name, server, caPem, token: status.token });
}

export async function applyManifest(
  client: KubeClient,
  manifest: Manifest | KubeObject,
  call: CallOptions,
): Promise<void> {
  const object = manifest as KubeObject;
  await client.apply(resourceOf(object), object, { ...call, fieldManager, force: true });
}

/** Of the kinds that are applied here the plural is the kind with an s. */
function resourceOf({ apiVersion = 'v1', kind = '', metadata }: KubeObject): Resource {
  const [group = '', version = ''] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  return { group, version, plural: `${kind.toLowerCase()}s`, kind, namespaced: metadata.namespace !== undefined };
}
