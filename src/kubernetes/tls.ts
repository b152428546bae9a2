import { X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';
import { type Credentials, readSource } from './credentials.ts';
import { type ClusterConfig, KubeconfigError } from './kubeconfig.ts';

export interface TlsSettings {
  readonly secureContext: SecureContext;
  readonly rejectUnauthorized: boolean;
  readonly servername?: string;
}

/** Built once per set of credentials and shared by all connections: a context of its own doubles a handshake's cost. */
export function tlsSettings(config: ClusterConfig, credentials: Credentials): TlsSettings {
  const { certificateAuthority, tlsServerName } = config;
  const ca = certificateAuthority === undefined ? undefined : authorities(readSource(certificateAuthority));
  const pair = credentials.clientCertificate;
  return {
    secureContext: contextOf(ca, pair),
    rejectUnauthorized: !config.insecureSkipTlsVerify,
    ...(tlsServerName === undefined ? {} : { servername: tlsServerName }),
  };
}

function contextOf(ca: string[] | undefined, pair: Credentials['clientCertificate']): SecureContext {
  try {
    return createSecureContext({
      ...(ca === undefined ? {} : { ca }),
      ...(pair === undefined ? {} : { cert: pair.certificate, key: pair.key }),
    });
  } catch (error) {
    // OpenSSL's own text is of no use to a reader, and its code says enough.
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown cause';
    throw new KubeconfigError(`The client certificate and key in the kubeconfig cannot be used (${code})`);
  }
}

/** Node takes garbage as authorities without a word and then trusts less, so each block is read here first. */
function authorities(pem: string): string[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new KubeconfigError('The certificate authority of the cluster holds no certificate');
  for (const block of blocks) {
    try {
      new X509Certificate(block);
    } catch {
      throw new KubeconfigError('The certificate authority of the cluster holds a certificate that cannot be read');
    }
  }
  return blocks;
}
