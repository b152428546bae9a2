import { randomBytes } from 'node:crypto';
import { candidateSecretName, FIELD_MANAGER, GATEWAY_ANNOTATION, SECRET_KEY } from '../../api/names.ts';
import type { TrustDomainSpec } from '../../api/trust-domain.ts';
import type { CallOptions } from '../../kubernetes/answer.ts';
import type { KubeClient } from '../../kubernetes/client.ts';
import { SECRET, type SecretObject } from '../../kubernetes/resource.ts';
import { type Bundle, encodeBundle } from '../../pki/bundle.ts';
import type { Certificate } from '../../pki/certificate.ts';
import { answerOf, type WriteAnswer } from '../act/write-answer.ts';
import type { GatewayAction, GatewayWrite } from '../decide/gateway.ts';
import type { Digest, Root } from '../decide/values.ts';
import { asData, dataOf } from '../observe/secret-data.ts';
import { recordAnnotations } from './observe-gateway-secret.ts';
import { issueServerPair } from './server-pair.ts';

/** What an action works on: the very objects that were observed, so that each write is conditional on them. */
export interface GatewayMaterial {
  readonly spec: TrustDomainSpec;
  readonly rootSecret: SecretObject | undefined;
  readonly gatewaySecret: SecretObject | undefined;
  readonly candidateSecret: SecretObject | undefined;
  /** Hosts that a server certificate has to cover. */
  readonly hosts: readonly string[];
  /** Every certificate that an action may name. */
  readonly certificates: ReadonlyMap<Digest, Certificate>;
  /** The server pair of a Secret that was lost, if this process saw it. */
  readonly lastServer: SecretObject | undefined;
  readonly nowMs: number;
}

type Acting = Exclude<GatewayAction, { readonly do: 'readFleet' }>;

/**
 * Performs one action. Safe to be killed at any point: each makes one write, and what it leaves is observed again.
 *
 * @throws IssuingError when the root cannot sign
 */
export async function actOnGateway(
  client: KubeClient,
  action: Acting,
  material: GatewayMaterial,
  call: CallOptions,
): Promise<WriteAnswer<SecretObject>> {
  switch (action.do) {
    case 'write':
      return put(client, written(action, material), call);
    case 'create':
      return put(client, await initial(action.root, [action.root], material), call);
    case 'restore':
      return put(client, await initial(action.root, action.bundle, material), call);
    case 'issueCandidate':
      return put(client, await candidate(action.root, material), call);
  }
}

/** Creates where nothing was observed, replaces exactly what was observed otherwise. */
function put(client: KubeClient, secret: SecretObject, call: CallOptions): Promise<WriteAnswer<SecretObject>> {
  const options = { ...call, fieldManager: FIELD_MANAGER };
  const exists = secret.metadata.resourceVersion !== undefined;
  return answerOf(exists ? client.replace(SECRET, secret, options) : client.create(SECRET, secret, options));
}

function written(action: GatewayWrite, material: GatewayMaterial): SecretObject {
  const standing = expect(material.gatewaySecret, 'gateway Secret');
  const texts: Record<string, string> = { [SECRET_KEY.bundle]: bundleText(action.bundle, material) };
  if (action.server !== null) Object.assign(texts, serverTexts(expect(material.candidateSecret, 'candidate Secret')));
  const added = action.why === 'RootAdded' ? addedAt(material.nowMs) : {};
  return changed(standing, texts, { ...recordAnnotations(action.added, action.closing), ...added });
}

/** The whole value anew: at the first start, and after a loss with the server pair that was seen last. */
async function initial(root: Root, bundle: readonly Root[], material: GatewayMaterial): Promise<SecretObject> {
  // Unlike any resourceVersion: what is put in now was never proven before.
  const version = `created-${randomBytes(8).toString('hex')}`;
  const added = Object.fromEntries(bundle.map(({ digest }) => [digest, version]));
  const server = material.lastServer === undefined ? await serverOf(root, material) : serverTexts(material.lastServer);
  const { namespace, name } = material.spec.gatewaySecretRef;
  const standing = material.gatewaySecret ?? { metadata: { namespace, name }, type: 'Opaque' };
  const texts = { [SECRET_KEY.bundle]: bundleText(bundle, material), ...server };
  return changed(standing, texts, { ...recordAnnotations(added, []), ...addedAt(material.nowMs) });
}

async function candidate(root: Root, material: GatewayMaterial): Promise<SecretObject> {
  const { namespace, name } = material.spec.gatewaySecretRef;
  const fresh = { metadata: { namespace, name: candidateSecretName(name) }, type: 'Opaque' };
  return changed(material.candidateSecret ?? fresh, await serverOf(root, material), {});
}

async function serverOf(root: Root, material: GatewayMaterial): Promise<Readonly<Record<string, string>>> {
  const { spec, hosts, nowMs } = material;
  const rootSecret = expect(material.rootSecret, 'root Secret');
  const pair = await issueServerPair(rootSecret, spec.serverCertificate, hosts, root.notBeforeMs, nowMs);
  return { [SECRET_KEY.certificate]: pair.certificatePem, [SECRET_KEY.privateKey]: pair.keyPem };
}

function serverTexts(secret: SecretObject): Readonly<Record<string, string>> {
  return {
    [SECRET_KEY.certificate]: dataOf(secret, SECRET_KEY.certificate),
    [SECRET_KEY.privateKey]: dataOf(secret, SECRET_KEY.privateKey),
  };
}

/** The Secret with these texts and annotations; everything else in it is somebody else's and stays. */
function changed(
  secret: SecretObject,
  texts: Readonly<Record<string, string>>,
  annotations: Readonly<Record<string, string>>,
): SecretObject {
  const { managedFields: _, ...metadata } = secret.metadata;
  return {
    ...secret,
    metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } } as SecretObject['metadata'],
    data: { ...secret.data, ...asData(texts) },
  };
}

/** @throws Error rather than write a bundle that lacks a root (S5) */
function bundleText(bundle: readonly Root[], { certificates }: GatewayMaterial): string {
  const found: Bundle = bundle.map((root) =>
    expect(certificates.get(root.digest), `certificate ${root.digest.slice(0, 16)}`),
  );
  if (found.length === 0) throw new Error('A bundle without a root is never written');
  return encodeBundle(found);
}

function addedAt(nowMs: number): Readonly<Record<string, string>> {
  return { [GATEWAY_ANNOTATION.caAddedToBundleAt]: `${new Date(nowMs).toISOString().slice(0, 19)}Z` };
}

function expect<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`The ${what} is not at hand; the decision was made from something else`);
  return value;
}
