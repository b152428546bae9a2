import { stringify } from 'yaml';
import { issueLeaf, issueRoot } from '../../pki/issue.ts';

/** What a cluster shows to its clients, and what it knows them by. Clusters of one world may share it. */
export interface ClusterIdentity {
  readonly caPem: string;
  readonly servingCertificatePem: string;
  readonly servingKeyPem: string;
  /** @returns a certificate and key of a user and, where given, a group */
  clientCertificate(
    username: string,
    group?: string,
  ): Promise<{ readonly certificatePem: string; readonly keyPem: string }>;
}

const DAY_MS = 86_400_000;

/** A certificate authority of its own. Valid long before and after now: a world may move its clock. */
export async function createIdentity(nowMs: number): Promise<ClusterIdentity> {
  const validity = { notBeforeMs: nowMs - 30 * DAY_MS, notAfterMs: nowMs + 3650 * DAY_MS };
  const ca = await issueRoot({ subject: { commonName: 'kubernetes' }, keyAlgorithm: 'P-256', ...validity });
  const signed = {
    rootCertificatePem: ca.certificatePem,
    rootKeyPem: ca.keyPem,
    keyAlgorithm: 'P-256',
    ...validity,
  } as const;
  const serving = await issueLeaf({
    ...signed,
    subject: { commonName: 'kube-apiserver' },
    dnsNames: ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'],
    ipAddresses: ['127.0.0.1'],
    usages: ['serverAuth'],
  });
  return {
    caPem: ca.certificatePem,
    servingCertificatePem: serving.certificatePem,
    servingKeyPem: serving.keyPem,
    async clientCertificate(username, group) {
      const { certificatePem, keyPem } = await issueLeaf({
        ...signed,
        subject: { commonName: username, ...(group === undefined ? {} : { organization: group }) },
        dnsNames: [],
        usages: ['clientAuth'],
      });
      return { certificatePem, keyPem };
    },
  };
}

/** A kubeconfig (YAML) with one cluster, one user with a bearer token, one context. */
export function kubeconfigOf(access: {
  readonly name: string;
  readonly server: string;
  readonly caPem: string;
  readonly token: string;
  readonly namespace?: string;
}): string {
  const { name, server, caPem, token, namespace } = access;
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, 'certificate-authority-data': Buffer.from(caPem).toString('base64') } }],
    users: [{ name: 'user', user: { token } }],
    contexts: [{ name, context: { cluster: name, user: 'user', ...(namespace === undefined ? {} : { namespace }) } }],
    'current-context': name,
  });
}
