import {
  API_VERSION,
  DELIVERY_ANNOTATION,
  FIELD_MANAGER,
  RUNTIME_OBJECT_LABELS,
  RUNTIME_TRUST,
  SECRET_KEY,
} from '../../api/names.ts';
import type { RuntimeTrust } from '../../api/runtime-trust.ts';
import type { TrustDomainSpec } from '../../api/trust-domain.ts';
import type { Member } from '../../fleet/member.ts';
import type { CallOptions } from '../../kubernetes/answer.ts';
import type { KubeClient } from '../../kubernetes/client.ts';
import { isNotFound } from '../../kubernetes/errors.ts';
import {
  type KubeObject,
  NAMESPACE,
  type ObjectRef,
  SECRET,
  type SecretObject,
  VALIDATING_WEBHOOK_CONFIGURATION,
} from '../../kubernetes/resource.ts';
import { type Bundle, encodeBundle } from '../../pki/bundle.ts';
import { answerOf, type WriteAnswer } from '../act/write-answer.ts';
import type { RuntimeAction } from '../decide/runtime.ts';
import type { Digest } from '../decide/values.ts';
import { asData, dataOf } from '../observe/secret-data.ts';
import { withCaBundle } from './read-standing.ts';

/** Creates the runtime's record, owned by what the runtime is made from. Its status follows in a second write. */
export function register(
  client: KubeClient,
  member: Member,
  domain: ObjectRef,
  call: CallOptions,
): Promise<WriteAnswer<RuntimeTrust>> {
  const record: RuntimeTrust = {
    apiVersion: API_VERSION,
    kind: RUNTIME_TRUST.kind,
    metadata: { namespace: member.namespace, name: member.name, ownerReferences: [member.owner] },
    spec: {
      trustDomainRef: { name: domain.name, ...(domain.namespace === undefined ? {} : { namespace: domain.namespace }) },
    },
  };
  return answerOf(client.create(RUNTIME_TRUST, record, { ...call, fieldManager: FIELD_MANAGER }));
}

/** Conditional on the version of the record that was read. */
export function writeRecord(
  client: KubeClient,
  record: RuntimeTrust,
  status: NonNullable<RuntimeTrust['status']>,
  call: CallOptions,
): Promise<WriteAnswer<RuntimeTrust>> {
  return answerOf(client.replaceStatus(RUNTIME_TRUST, { ...record, status }, { ...call, fieldManager: FIELD_MANAGER }));
}

/** Conditional on the version of the configuration that was read. */
export function writeCaBundle(
  client: KubeClient,
  webhook: KubeObject,
  action: Extract<RuntimeAction, { readonly do: 'writeCaBundle' }>,
  known: Bundle,
  call: CallOptions,
): Promise<WriteAnswer<KubeObject>> {
  const roots = action.caBundle.map(({ digest }) => certificate(known, digest));
  const changed = withCaBundle(withoutManagedFields(webhook), encodeBundle(roots), action.serial);
  return answerOf(client.replace(VALIDATING_WEBHOOK_CONFIGURATION, changed, { ...call, fieldManager: FIELD_MANAGER }));
}

export interface SecretMaterial {
  readonly runtimes: TrustDomainSpec['runtimes'];
  /** The runtime's Secret as read; the write stands on its version. */
  readonly standing: SecretObject | undefined;
  /** The Secret that the issuer fills. */
  readonly hub: SecretObject | undefined;
  /** The gateway's bundle as read after the runtime's Secret. */
  readonly bundle: Bundle;
}

/** All three keys in one write: a reader never meets a bundle of one delivery beside the pair of another. */
export function writeSecret(
  client: KubeClient,
  action: Extract<RuntimeAction, { readonly do: 'writeSecret' }>,
  { runtimes, standing, hub, bundle }: SecretMaterial,
  call: CallOptions,
): Promise<WriteAnswer<SecretObject>> {
  const from = action.pair === 'hub' ? hub : standing;
  const texts = {
    [SECRET_KEY.bundle]: encodeBundle(action.bundle.map((digest) => certificate(bundle, digest))),
    [SECRET_KEY.certificate]: dataOf(from, SECRET_KEY.certificate),
    [SECRET_KEY.privateKey]: dataOf(from, SECRET_KEY.privateKey),
  };
  const { namespace, name } = runtimes.secret;
  const fresh: SecretObject = { metadata: { namespace, name }, type: 'Opaque' };
  const base = action.baseVersion === '' || standing === undefined ? fresh : withoutManagedFields(standing);
  const secret: SecretObject = {
    ...base,
    metadata: {
      ...base.metadata,
      labels: { ...base.metadata.labels, ...RUNTIME_OBJECT_LABELS },
      annotations: { ...base.metadata.annotations, [DELIVERY_ANNOTATION]: action.serial },
    },
    data: { ...base.data, ...asData(texts) },
  };
  const options = { ...call, fieldManager: FIELD_MANAGER };
  return answerOf(
    base === fresh ? createIn(client, namespace, secret, options) : client.replace(SECRET, secret, options),
  );
}

/** Creates the Secret, and the namespace first where there is none. */
async function createIn(
  client: KubeClient,
  namespace: string,
  secret: SecretObject,
  options: CallOptions & { readonly fieldManager: string },
): Promise<SecretObject> {
  try {
    return await client.create(SECRET, secret, options);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    await answerOf(client.create(NAMESPACE, { metadata: { name: namespace, labels: RUNTIME_OBJECT_LABELS } }, options));
    return await client.create(SECRET, secret, options);
  }
}

/** @throws Error rather than write a bundle that lacks a root (S5) */
function certificate(known: Bundle, digest: Digest) {
  const found = known.find((one) => one.digest === digest);
  if (found === undefined)
    throw new Error(`The certificate ${digest.slice(0, 16)} is not at hand; the decision was made from something else`);
  return found;
}

function withoutManagedFields<T extends KubeObject>(object: T): T {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
