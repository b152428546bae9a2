import { createHash, X509Certificate } from 'node:crypto';
import type { KubernetesObject } from '../world/cluster-client.ts';
import type { Kubelet } from '../world/real/kubelet.ts';
import type { World } from '../world/world.ts';
import { gatewaySecretPath, rootSecretPath, runtimeSecretPath, webhookPath } from './hub-objects.ts';

/** A bundle and a leaf, wherever they stand. Digests are SHA-256 of the DER, lower-case hex. */
export interface Held {
  readonly roots: readonly string[];
  readonly leaf: X509Certificate | undefined;
}

/** What stands everywhere at one moment, read from the Secrets and the parties themselves and from no status of ours. */
export interface Standing {
  readonly root: X509Certificate | undefined;
  readonly gateway: Held;
  /** Digests in the annotation that announces a retirement. */
  readonly closing: readonly string[];
  readonly runtimes: ReadonlyMap<
    string,
    { readonly secret: Held; readonly mounted: Held; readonly caBundle: Held | undefined }
  >;
  readonly endpoints: ReadonlyMap<string, Held>;
}

export const nothingHeld: Held = { roots: [], leaf: undefined };

export async function readStanding(
  world: World,
  kubelets: ReadonlyMap<string, Pick<Kubelet, 'mounted'>>,
  signal: AbortSignal,
): Promise<Standing> {
  const { client } = world.hub;
  const [rootSecret, gatewaySecret] = await Promise.all([
    client.find(rootSecretPath, signal),
    client.find(gatewaySecretPath, signal),
  ]);
  const runtimes = await Promise.all(
    [...kubelets].map(async ([name, kubelet]) => {
      const runtime = world.runtime(name).client;
      const [secret, webhook] = await Promise.all([
        runtime.find(runtimeSecretPath, signal),
        runtime.find(webhookPath, signal),
      ]);
      const files = Object.fromEntries(
        [...(kubelet.mounted()?.data ?? [])].map(([file, data]) => [file, data.toString()]),
      );
      return [name, { secret: heldIn(secret), mounted: heldOf(files), caBundle: caBundleOf(webhook) }] as const;
    }),
  );
  const endpoints = await Promise.all(
    world.gateway.endpoints.map(async ({ name }, index) => {
      const { serverCertificate, bundle } = await world.gateway.configDump(index, signal);
      return [name, heldOf({ 'ca.crt': bundle?.pem ?? '', 'tls.crt': serverCertificate?.pem ?? '' })] as const;
    }),
  );
  const closing = gatewaySecret?.metadata?.annotations?.['keyturn.kyma-project.io/closing'] ?? '';
  return {
    root: heldIn(rootSecret).leaf,
    gateway: heldIn(gatewaySecret),
    closing: closing.split(',').filter((digest) => digest !== ''),
    runtimes: new Map(runtimes),
    endpoints: new Map(endpoints),
  };
}

/** Both halves of a Secret. */
export function heldIn(secret: KubernetesObject | undefined): Held {
  const data = (secret?.['data'] ?? {}) as Readonly<Record<string, string>>;
  return heldOf(
    Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text, 'base64').toString()])),
  );
}

export function heldOf(texts: Readonly<Record<string, string>>): Held {
  return {
    roots: certificatesIn(texts['ca.crt'] ?? '').map(digestOf),
    leaf: certificatesIn(texts['tls.crt'] ?? '')[0],
  };
}

export function digestOf(certificate: X509Certificate): string {
  return createHash('sha256').update(certificate.raw).digest('hex');
}

export function isSignedBy(leaf: X509Certificate | undefined, root: X509Certificate | undefined): boolean {
  return leaf !== undefined && root !== undefined && leaf.verify(root.publicKey);
}

function caBundleOf(webhook: KubernetesObject | undefined): Held | undefined {
  if (webhook === undefined) return undefined;
  const [first] = (webhook['webhooks'] ?? []) as readonly { readonly clientConfig?: { readonly caBundle?: string } }[];
  return heldOf({ 'ca.crt': Buffer.from(first?.clientConfig?.caBundle ?? '', 'base64').toString() });
}

export function certificatesIn(text: string): X509Certificate[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => new X509Certificate(block));
}
