import { X509Certificate } from 'node:crypto';
import type { World } from '../../world/world.ts';
import { applyIssuer, certificatesPath, istioSystem, rootSecretPath } from '../hub-objects.ts';
import type { RootSource } from '../root-source.ts';
import { digestOf, heldIn } from '../standing.ts';
import { until } from '../until.ts';
import { setIssuing } from './set-issuing.ts';

const name = 'klm-watcher-serving';
const issuer = 'klm-watcher-root';

/**
 * The root as KLM has it made: by cert-manager, from its Certificate `klm-watcher-serving`, RSA of 4096 bits. Another one is
 * asked for by the condition Issuing, as cert-manager's own command does.
 */
export async function certManagerRoot(world: World, signal: AbortSignal): Promise<Pick<RootSource, 'next'>> {
  const { client } = world.hub;
  const currentDigest = async (): Promise<string | undefined> => {
    const { leaf } = heldIn(await client.find(rootSecretPath, signal));
    return leaf instanceof X509Certificate ? digestOf(leaf) : undefined;
  };
  return {
    async next(kind) {
      const before = await currentDigest();
      if (kind === 'first') {
        await applyIssuer(client, issuer, { selfSigned: {} }, signal);
        await client.apply(`${certificatesPath}/${name}`, rootCertificate(world.gateway.host), signal);
      } else {
        await setIssuing(client, name, signal);
      }
      let digest = before;
      const look = async (): Promise<string[]> => {
        digest = await currentDigest();
        return digest === undefined || digest === before ? ['another certificate in the root Secret'] : [];
      };
      await until('cert-manager issues a root', look, { timeoutMs: 180_000, everyMs: 50, signal });
      return digest ?? '';
    },
  };
}

/** KLM's own settings; the DNS name is that of the Gateway's host. */
function rootCertificate(host: string) {
  return {
    apiVersion: 'cert-manager.io/v1',
    kind: 'Certificate',
    metadata: { name, namespace: istioSystem },
    spec: {
      commonName: 'klm-watcher-selfsigned-ca',
      isCA: true,
      dnsNames: [host],
      subject: {
        organizationalUnits: ['BTP Kyma Runtime'],
        organizations: ['SAP SE'],
        localities: ['Walldorf'],
        provinces: ['Baden-Württemberg'],
        countries: ['DE'],
      },
      privateKey: { rotationPolicy: 'Always', algorithm: 'RSA', size: 4096 },
      duration: '2160h',
      renewBefore: '1464h',
      secretName: 'klm-watcher',
      secretTemplate: { labels: { 'operator.kyma-project.io/managed-by': 'lifecycle-manager' } },
      issuerRef: { name: issuer, kind: 'Issuer', group: 'cert-manager.io' },
    },
  };
}
