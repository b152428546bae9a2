import { DELIVERY_ANNOTATION, SECRET_KEY } from '../../api/names.ts';
import type { KubeObject, SecretObject } from '../../kubernetes/resource.ts';
import { type Bundle, parseBundle, sameSet, union } from '../../pki/bundle.ts';
import { parsePair } from '../../pki/pair.ts';
import type { StandingSecret } from '../decide/holdings.ts';
import { leafValue } from '../observe/as-values.ts';
import { dataOf } from '../observe/secret-data.ts';

/** The runtime's Secret, as one live read showed it. */
export function readStandingSecret(object: SecretObject, known: Bundle): StandingSecret {
  const bundle = parseBundle(dataOf(object, SECRET_KEY.bundle));
  const pair = parsePair({
    certificatePem: dataOf(object, SECRET_KEY.certificate),
    keyPem: dataOf(object, SECRET_KEY.privateKey),
  });
  const leaf = pair.ok ? leafValue(pair.pair.leaf, union(bundle.certificates, known)) : null;
  return {
    resourceVersion: object.metadata.resourceVersion ?? '',
    serial: serialOf(object),
    // Of bytes that we would not write, every verifier may read something else, so nothing of them counts as held.
    bundle: bundle.canonical ? bundle.certificates.map((root) => root.digest) : [],
    client: leaf === null ? null : { digest: leaf.digest, signer: leaf.signer, notAfterMs: leaf.notAfterMs },
  };
}

/** The `caBundle` of a webhook configuration, over all of its webhooks. */
export interface WebhookReading {
  readonly resourceVersion: string;
  /** Empty where the webhooks differ: none of our deliveries left them so. */
  readonly serial: string;
  /** Roots that any of the webhooks trusts. */
  readonly any: Bundle;
  /** Roots that each of the webhooks trusts: what may serve all of them. */
  readonly all: Bundle;
}

/** `null` where it lists no webhook: there is nobody to trust anything then. */
export function readWebhook(object: KubeObject): WebhookReading | null {
  const bundles = webhooksOf(object).map((webhook) => parseBundle(caBundleOf(webhook)));
  const [first] = bundles;
  if (first === undefined) return null;
  const any = union(...bundles.map(({ certificates }) => certificates));
  const uniform = bundles.every(
    ({ certificates, canonical }) => canonical && sameSet(certificates, first.certificates),
  );
  const all = first.certificates.filter((root) =>
    bundles.every(({ certificates, canonical }) => canonical && certificates.includes(root)),
  );
  return {
    resourceVersion: object.metadata.resourceVersion ?? '',
    serial: uniform ? serialOf(object) : '',
    any,
    all,
  };
}

/** The same configuration with this `caBundle` (PEM) in every webhook and the serial of the delivery. */
export function withCaBundle(object: KubeObject, caBundlePem: string, serial: string): KubeObject {
  const caBundle = Buffer.from(caBundlePem, 'utf8').toString('base64');
  return {
    ...object,
    metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, [DELIVERY_ANNOTATION]: serial } },
    webhooks: webhooksOf(object).map((webhook) => ({
      ...webhook,
      clientConfig: { ...asRecord(webhook['clientConfig']), caBundle },
    })),
  };
}

function serialOf(object: KubeObject): string {
  return object.metadata.annotations?.[DELIVERY_ANNOTATION] ?? '';
}

function webhooksOf(object: KubeObject): readonly Readonly<Record<string, unknown>>[] {
  const webhooks = object['webhooks'];
  return Array.isArray(webhooks) ? webhooks.map(asRecord) : [];
}

function caBundleOf(webhook: Readonly<Record<string, unknown>>): string {
  const caBundle = asRecord(webhook['clientConfig'])['caBundle'];
  return typeof caBundle === 'string' ? Buffer.from(caBundle, 'base64').toString('utf8') : '';
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
