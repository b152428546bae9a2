import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import type { SecretObject } from '../../src/kubernetes/resource.ts';
import { encodeSigned, encodeSubject, extension, keyIdentifierOf } from '../../src/pki/encode-certificate.ts';
import { issueRoot } from '../../src/pki/issue.ts';
import { encodePem } from '../../src/pki/pem.ts';
import { asData } from '../../src/rotation/observe/secret-data.ts';
import { nameOf } from './fleet-in-rotation.ts';

const dayMs = 86_400_000;
const subject = { commonName: 'klm-watcher-selfsigned-ca' };

/** Secrets of a fleet, each with a P-256 pair of its own and the gateway's bundle. */
export interface ClientSecrets {
  /** Three roots of one subject; the last one signed the pairs. */
  readonly bundlePem: string;
  readonly secrets: readonly SecretObject[];
}

/** Signs without reading the result back, or each certificate would be remembered before the bench first parses it. */
export async function makeClientSecrets(size: number): Promise<ClientSecrets> {
  const nowMs = Date.now();
  const rootOf = {
    subject,
    notBeforeMs: nowMs - dayMs,
    notAfterMs: nowMs + 90 * dayMs,
    keyAlgorithm: 'P-256',
  } as const;
  const signer = await issueRoot(rootOf);
  const bundlePem = [await issueRoot(rootOf), await issueRoot(rootOf), signer]
    .map((one) => one.certificatePem)
    .join('');
  const signingKey = createPrivateKey(signer.keyPem);
  const usual = [
    extension.keyUsage(['digitalSignature']),
    extension.basicConstraints(false),
    extension.authorityKeyId(keyIdentifierOf(publicKeyInfoOf(signingKey))),
  ];
  const secretOf = (name: string): SecretObject => {
    const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    const der = encodeSigned(
      {
        serial: Buffer.concat([Buffer.of(0x40), randomBytes(15)]),
        issuer: encodeSubject(subject),
        subject: encodeSubject({ commonName: name }),
        publicKeyInfo: publicKeyInfoOf(key),
        notBeforeMs: nowMs - 60_000,
        notAfterMs: nowMs + 30 * dayMs,
        extensions: [...usual, extension.names([`${name}.kyma.local`, 'skr-webhook.kyma-system.svc'], [], false)],
      },
      signingKey,
    );
    if (der === null) throw new Error('The root of the bench cannot sign');
    const keyPem = key.export({ type: 'pkcs8', format: 'pem' }).toString();
    return {
      metadata: { namespace: 'istio-system', name: `${name}-webhook-tls` },
      data: asData({ 'ca.crt': bundlePem, 'tls.crt': encodePem('CERTIFICATE', der), 'tls.key': keyPem }),
    };
  };
  return { bundlePem, secrets: Array.from({ length: size }, (_, index) => secretOf(nameOf(index))) };
}

function publicKeyInfoOf(key: KeyObject): Buffer {
  return createPublicKey(key).export({ type: 'spki', format: 'der' });
}
