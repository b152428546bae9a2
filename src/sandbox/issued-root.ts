import { CERTIFICATE } from '../api/names.ts';
import { trustDomainDefaults } from '../api/trust-domain.ts';
import { askedToIssue, isIssuing } from '../issuers/issuing-state.ts';
import type { CallOptions } from '../kubernetes/answer.ts';
import type { KubeClient } from '../kubernetes/client.ts';
import { isConflict } from '../kubernetes/errors.ts';
import { ISSUER } from './issuer/kinds.ts';

const name = 'klm-watcher-serving';
const issuer = 'klm-watcher-root';
const fieldManager = 'keyturn-sandbox';

/** The root as Kyma's control plane has it made: a self-signed Certificate of the issuer in the hub; P-256, since RSA takes seconds. */
export async function applyRootCertificate(client: KubeClient, call: CallOptions): Promise<void> {
  const { namespace, name: secretName } = trustDomainDefaults().rootSecretRef;
  const write = { ...call, fieldManager, force: true };
  await client.apply(ISSUER, { metadata: { name: issuer, namespace }, spec: { selfSigned: {} } }, write);
  const spec = {
    commonName: 'klm-watcher-selfsigned-ca',
    isCA: true,
    privateKey: { rotationPolicy: 'Always', algorithm: 'ECDSA', size: 256 },
    duration: '2160h',
    renewBefore: '1464h',
    secretName,
    issuerRef: { name: issuer, kind: 'Issuer', group: 'cert-manager.io' },
  };
  await client.apply(CERTIFICATE, { metadata: { name, namespace }, spec }, write);
}

/** Asks the issuer for another root, as `keyturn rotate` does. @returns false while it is at work on one already */
export async function askForRoot(client: KubeClient, nowMs: number, call: CallOptions): Promise<boolean> {
  const { namespace } = trustDomainDefaults().rootSecretRef;
  for (;;) {
    const certificate = await client.get(CERTIFICATE, { namespace, name }, call);
    if (isIssuing(certificate)) return false;
    try {
      await client.replaceStatus(CERTIFICATE, askedToIssue(certificate, nowMs), { ...call, fieldManager });
      return true;
    } catch (error) {
      // The issuer writes the status as well; whatever it wrote is looked at anew.
      if (!isConflict(error)) throw error;
    }
  }
}
