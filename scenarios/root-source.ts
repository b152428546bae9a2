import { type IssuedPair, issueRoot } from '../src/pki/issue.ts';
import type { ClusterClient } from '../world/cluster-client.ts';
import { istioSystem, rootSecretPath } from './hub-objects.ts';
import type { RootKind } from './rotation-plan.ts';

export interface Validity {
  /** Since when the certificate is valid. @default 3,600,000 */
  readonly agedMs?: number;
  /** From now to its end. @default 90 days */
  readonly lifeMs?: number;
}

/** Writes the root Secret as a person or another controller would, with P-256 roots of one subject. */
export interface RootSource {
  /**
   * Writes another root: `first` and `rekey` with a new key, `renew` with the current key in a new certificate, `return` one
   * that was there before, with its own certificate and key.
   *
   * @returns digest of the certificate
   */
  next(kind: 'first' | RootKind, validity?: Validity): Promise<string>;
  /** Writes this one, which was there before, as a backup does. */
  restore(digest: string): Promise<void>;
  current(): IssuedPair;
}

const usualLifeMs = 90 * 86_400_000;

export function rootSource(client: ClusterClient, signal: AbortSignal, random: () => number): RootSource {
  const roots: IssuedPair[] = [];
  const current = (): IssuedPair => {
    const root = roots.at(-1);
    if (root === undefined) throw new Error('No root was written yet');
    return root;
  };
  const earlier = (): IssuedPair => {
    const { keyId } = current().certificate;
    const others = roots.filter(({ certificate }) => certificate.keyId !== keyId);
    const chosen = others[Math.floor(random() * others.length)];
    if (chosen === undefined) throw new Error('No earlier root of another key to return to: re-key first');
    return chosen;
  };
  return {
    current,
    async next(kind, { agedMs = 3_600_000, lifeMs = usualLifeMs } = {}) {
      const keyPem = kind === 'renew' ? current().keyPem : undefined;
      // A renewed root has to end later than the one before, or the earlier certificate would stand first.
      const root =
        kind === 'return' ? earlier() : await make({ agedMs, lifeMs: lifeMs + roots.length * 1_000 }, keyPem);
      roots.push(root);
      await writeRoot(client, root, signal);
      return root.certificate.digest;
    },
    async restore(digest) {
      const root = roots.find(({ certificate }) => certificate.digest === digest);
      if (root === undefined) throw new Error(`No root ${digest} was ever written`);
      roots.push(root);
      await writeRoot(client, root, signal);
    },
  };
}

async function make({ agedMs, lifeMs }: Required<Validity>, keyPem: string | undefined): Promise<IssuedPair> {
  const nowMs = Date.now();
  return issueRoot({
    subject: { commonName: 'klm-watcher-selfsigned-ca' },
    notBeforeMs: nowMs - agedMs,
    notAfterMs: nowMs + lifeMs,
    keyAlgorithm: 'P-256',
    ...(keyPem === undefined ? {} : { keyPem }),
  });
}

async function writeRoot(
  client: ClusterClient,
  { certificatePem, keyPem }: IssuedPair,
  signal: AbortSignal,
): Promise<void> {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  await client.apply(
    rootSecretPath,
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'klm-watcher', namespace: istioSystem },
      data: { 'tls.crt': base64(certificatePem), 'tls.key': base64(keyPem), 'ca.crt': base64(certificatePem) },
    },
    signal,
  );
}
