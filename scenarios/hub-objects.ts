import { crds, hubManifests } from '../src/api/manifests.ts';
import { CERTIFICATE, KYMA, RUNTIME_TRUST, TRUST_DOMAIN } from '../src/api/names.ts';
import { hubRbac, runtimeRbac } from '../src/api/rbac.ts';
import { type TrustDomainSpecWritten, trustDomainDefaults } from '../src/api/trust-domain.ts';
import { apiVersionOf, type Resource } from '../src/kubernetes/resource.ts';
import { kymaOf, webhookConfiguration } from '../src/sandbox/install.ts';
import { type ClusterClient, ClusterError, type KubernetesObject } from '../world/cluster-client.ts';
import { applyCrds } from '../world/crds.ts';
import { createTokenUser, manifestPath } from '../world/token-user.ts';
import type { Cluster } from '../world/world.ts';

/** What a person or another controller writes to the hub and the runtimes before and while the operator works. */

export const domainName = 'klm-watcher';
export const kcp = 'kcp-system';
export const istioSystem = 'istio-system';
export const kymaSystem = 'kyma-system';
export const rootSecretPath = `/api/v1/namespaces/${istioSystem}/secrets/klm-watcher`;
export const gatewaySecretPath = `/api/v1/namespaces/${istioSystem}/secrets/klm-istio-gateway`;
export const runtimeSecretPath = `/api/v1/namespaces/${kymaSystem}/secrets/skr-webhook-tls`;
export const webhookPath = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/skr-webhook';

/** The Secret in the hub that the issuer fills for a runtime. */
export function pathOfClientSecret(runtime: string): string {
  return `/api/v1/namespaces/${istioSystem}/secrets/${runtime}-webhook-tls`;
}

/** Path of a namespaced object of a kind of which `src/api` has the description. */
export function pathOf(resource: Resource, namespace: string, name = ''): string {
  const group = resource.group === '' ? '/api/v1' : `/apis/${apiVersionOf(resource)}`;
  return `${group}/namespaces/${namespace}/${resource.plural}${name === '' ? '' : `/${name}`}`;
}

export const domainPath = pathOf(TRUST_DOMAIN, kcp, domainName);
export const recordsPath = pathOf(RUNTIME_TRUST, kcp);
export const certificatesPath = pathOf(CERTIFICATE, istioSystem);

/** Applies our CRDs and roles, and the issuer of client certificates. */
export async function prepareHub(hub: Cluster, signal: AbortSignal): Promise<void> {
  const { client } = hub;
  await applyCrds(client, crds() as readonly KubernetesObject[], signal);
  for (const manifest of hubManifests() as readonly KubernetesObject[]) {
    if (manifest.kind === 'CustomResourceDefinition') continue;
    await client.apply(manifestPath(manifest), manifest, signal);
  }
  await applyIssuer(client, 'klm-watcher-selfsigned', { ca: { secretName: 'klm-watcher' } }, signal);
}

export async function applyIssuer(
  client: ClusterClient,
  name: string,
  spec: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<void> {
  await client.apply(
    `/apis/cert-manager.io/v1/namespaces/${istioSystem}/issuers/${name}`,
    { apiVersion: 'cert-manager.io/v1', kind: 'Issuer', metadata: { name, namespace: istioSystem }, spec },
    signal,
  );
}

/** @returns a kubeconfig (YAML) of a user with the operator's published rights on the hub and no others */
export function operatorKubeconfig(hub: Cluster, signal: AbortSignal): Promise<string> {
  return createTokenUser(hub, hubRbac(trustDomainDefaults(), kcp), signal);
}

export async function applyWebhook(runtime: Cluster, signal: AbortSignal): Promise<void> {
  await runtime.client.apply(webhookPath, webhookConfiguration, signal);
}

/** The Secret by which the hub reaches a runtime, with the operator's published rights there and no others. */
export async function addKubeconfig(hub: Cluster, runtime: Cluster, signal: AbortSignal): Promise<void> {
  const { name } = runtime;
  const config = await createTokenUser(runtime, runtimeRbac(trustDomainDefaults()), signal);
  const secret = `kubeconfig-${name}`;
  await hub.client.apply(
    `/api/v1/namespaces/${kcp}/secrets/${secret}`,
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: secret, namespace: kcp, labels: { 'operator.kyma-project.io/kyma-name': name } },
      data: { config: Buffer.from(config).toString('base64') },
    },
    signal,
  );
}

/** From this one write on, the runtime belongs to the fleet. */
export async function addKyma(hub: Cluster, name: string, signal: AbortSignal): Promise<void> {
  await hub.client.apply(pathOf(KYMA, kcp, name), kymaOf(name), signal);
}

export async function applyTrustDomain(
  { client }: Cluster,
  spec: TrustDomainSpecWritten,
  signal: AbortSignal,
): Promise<void> {
  const metadata = { name: domainName, namespace: kcp };
  const domain = { apiVersion: apiVersionOf(TRUST_DOMAIN), kind: TRUST_DOMAIN.kind, metadata, spec };
  await client.apply(domainPath, domain as unknown as KubernetesObject, signal);
}

/** Takes away all that an earlier run left, so that the hub is as empty as a new one. No operator may be running. */
export async function emptyHub(hub: Cluster, runtimes: readonly Cluster[], signal: AbortSignal): Promise<void> {
  const { client } = hub;
  const requests = '/apis/cert-manager.io/v1/namespaces/istio-system';
  for (const collection of [
    pathOf(KYMA, kcp),
    pathOf(TRUST_DOMAIN, kcp),
    recordsPath,
    certificatesPath,
    `${requests}/certificaterequests`,
    `${requests}/issuers`,
  ]) {
    await deleteAll(client, collection, '', signal);
  }
  // By label: the rest of this namespace is not ours.
  await deleteAll(client, `/api/v1/namespaces/${kcp}/secrets`, 'operator.kyma-project.io/kyma-name', signal);
  const { items } = (await client.send('GET', `/api/v1/namespaces/${istioSystem}/secrets`, { signal })) as unknown as {
    readonly items: readonly KubernetesObject[];
  };
  for (const { metadata } of items) {
    const name = metadata?.name ?? '';
    // istiod's own CA stays: Envoys talk to it.
    if (!name.startsWith('istio-')) await remove(client, `/api/v1/namespaces/${istioSystem}/secrets/${name}`, signal);
  }
  for (const runtime of runtimes) {
    await remove(runtime.client, runtimeSecretPath, signal);
    await remove(runtime.client, webhookPath, signal);
  }
}

async function deleteAll(client: ClusterClient, collection: string, label: string, signal: AbortSignal): Promise<void> {
  const selector = label === '' ? '' : `?labelSelector=${encodeURIComponent(label)}`;
  try {
    await client.send('DELETE', collection + selector, { signal });
  } catch (error) {
    // The first run finds no such kind yet.
    if (!(error instanceof ClusterError) || error.status !== 404) throw error;
  }
}

async function remove(client: ClusterClient, path: string, signal: AbortSignal): Promise<void> {
  if ((await client.find(path, signal)) !== undefined) await client.send('DELETE', path, { signal });
}
