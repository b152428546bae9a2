import { KUBECONFIG_KEY, KYMA, KYMA_LABEL, SKR_DOMAIN_ANNOTATION } from '../api/names.ts';
import type { TrustDomainSpec } from '../api/trust-domain.ts';
import type { CallOptions } from '../kubernetes/answer.ts';
import type { KubeClient } from '../kubernetes/client.ts';
import type { Selection } from '../kubernetes/request.ts';
import { apiVersionOf, type KubeObject, type Resource, SECRET, type SecretObject } from '../kubernetes/resource.ts';
import type { Access, Member } from './member.ts';

type Runtimes = TrustDomainSpec['runtimes'];

/** What has to be watched for a fleet. */
export interface FleetSources {
  /** What a runtime is made from: Kymas, or kubeconfig Secrets. */
  readonly members: { readonly resource: Resource; readonly selection: Selection };
  /** Kubeconfig Secrets; `undefined` where those are the members themselves. */
  readonly kubeconfigs: Selection | undefined;
  /** Where the records are. */
  readonly namespace: string;
}

export function fleetSources(runtimes: Runtimes): FleetSources {
  const { kyma, selector } = runtimes;
  if (selector !== undefined) {
    const labels = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
    const selection = { namespace: selector.namespace, labelSelector: labels.join(',') };
    return { members: { resource: SECRET, selection }, kubeconfigs: undefined, namespace: selector.namespace };
  }
  const namespace = kyma?.namespace ?? 'kcp-system';
  return {
    members: { resource: KYMA, selection: { namespace } },
    kubeconfigs: { namespace: kyma?.kubeconfigNamespace ?? namespace, labelSelector: KYMA_LABEL.kymaName },
    namespace,
  };
}

/**
 * The runtimes that these objects stand for. Two that would have one name are one runtime with ambiguous credentials:
 * to choose one would write one runtime's pair into another's cluster.
 */
export function membersOf(
  runtimes: Runtimes,
  objects: readonly KubeObject[],
  kubeconfigs: readonly SecretObject[],
): ReadonlyMap<string, Member> {
  const members = new Map<string, Member>();
  const { selector } = runtimes;
  if (selector !== undefined) {
    for (const secret of objects as readonly SecretObject[]) {
      const member = fromSecret(secret, selector);
      const twin = members.has(member.name);
      members.set(member.name, twin ? { ...member, access: { state: 'ambiguous' } } : member);
    }
    return members;
  }
  const byKyma = new Map<string, SecretObject[]>();
  for (const secret of kubeconfigs) {
    const kyma = secret.metadata.labels?.[KYMA_LABEL.kymaName] ?? '';
    byKyma.set(kyma, [...(byKyma.get(kyma) ?? []), secret]);
  }
  for (const kyma of objects) members.set(kyma.metadata.name, fromKyma(kyma, byKyma.get(kyma.metadata.name) ?? []));
  return members;
}

/** Names of the runtimes in a live read: who is not among them is gone (design 3.6). */
export async function liveMemberNames(
  client: KubeClient,
  runtimes: Runtimes,
  call: CallOptions,
): Promise<readonly string[]> {
  const { members } = fleetSources(runtimes);
  const { items } = await client.list<KubeObject>(members.resource, { ...members.selection, metadataOnly: true }, call);
  const { selector } = runtimes;
  return items.map((object) => (selector === undefined ? object.metadata.name : nameFrom(object, selector)));
}

/** Whether a live read still shows the runtime. */
export async function isLiveMember(
  client: KubeClient,
  runtimes: Runtimes,
  name: string,
  call: CallOptions,
): Promise<boolean> {
  if (runtimes.selector !== undefined) return (await liveMemberNames(client, runtimes, call)).includes(name);
  return (
    (await client.find<KubeObject>(KYMA, { namespace: fleetSources(runtimes).namespace, name }, call)) !== undefined
  );
}

function fromKyma(kyma: KubeObject, kubeconfigs: readonly SecretObject[]): Member {
  const { metadata } = kyma;
  const skip = metadata.labels?.[KYMA_LABEL.skipReconciliation] ?? '';
  return {
    name: metadata.name,
    namespace: metadata.namespace ?? '',
    owner: ownerOf(kyma, KYMA),
    commonName: metadata.labels?.[KYMA_LABEL.runtimeId] ?? '',
    domain: metadata.annotations?.[SKR_DOMAIN_ANNOTATION],
    // One that is being deleted is taken apart by Kyma, but counts until it is gone.
    skipped: skip.toLowerCase() === 'true' || metadata.deletionTimestamp !== undefined,
    access: accessFrom(kubeconfigs, KUBECONFIG_KEY),
  };
}

function fromSecret(secret: SecretObject, selector: NonNullable<Runtimes['selector']>): Member {
  const { metadata } = secret;
  const name = nameFrom(secret, selector);
  return {
    name,
    namespace: metadata.namespace ?? '',
    owner: ownerOf(secret, SECRET),
    commonName: metadata.labels?.[KYMA_LABEL.runtimeId] ?? name,
    domain: metadata.annotations?.[SKR_DOMAIN_ANNOTATION],
    skipped: false,
    access: accessFrom([secret], selector.key),
  };
}

function nameFrom(object: KubeObject, selector: NonNullable<Runtimes['selector']>): string {
  const { label } = selector.nameFrom;
  return (label === undefined ? undefined : object.metadata.labels?.[label]) ?? object.metadata.name;
}

function accessFrom(secrets: readonly SecretObject[], key: string): Access {
  const [secret] = secrets;
  if (secret === undefined) return { state: 'missing' };
  if (secrets.length > 1) return { state: 'ambiguous' };
  const kubeconfig = Buffer.from(secret.data?.[key] ?? '', 'base64').toString('utf8');
  const version = `${secret.metadata.uid}/${secret.metadata.resourceVersion}`;
  return { state: 'found', version, kubeconfig };
}

function ownerOf(object: KubeObject, resource: Resource): Member['owner'] {
  const { name, uid = '' } = object.metadata;
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, name, uid };
}
