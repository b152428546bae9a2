import { parseDurationMs } from '../api/duration.ts';
import { CERTIFICATE, CLIENT_SECRET_LABELS, clientCertificateName } from '../api/names.ts';
import type { TrustDomainSpec } from '../api/trust-domain.ts';
import { apiVersionOf, type KubeObject } from '../kubernetes/resource.ts';
import type { ClientCertificate } from './issuer.ts';

/** A `Certificate` of cert-manager for one runtime, field by field as the lifecycle-manager writes it. */
export function certificateResource(issuer: TrustDomainSpec['issuer'], wanted: ClientCertificate): KubeObject {
  const name = clientCertificateName(wanted.runtime);
  return {
    apiVersion: apiVersionOf(CERTIFICATE),
    kind: CERTIFICATE.kind,
    metadata: { name, namespace: issuer.namespace },
    spec: {
      commonName: wanted.commonName,
      dnsNames: wanted.dnsNames,
      duration: issuer.duration,
      renewBefore: issuer.renewBefore,
      secretName: name,
      secretTemplate: { labels: CLIENT_SECRET_LABELS },
      issuerRef: { name: issuer.ref.name, kind: issuer.ref.kind, group: issuer.ref.group },
      isCA: false,
      usages: ['digital signature', 'key encipherment'],
      subject: issuer.subject,
      privateKey: {
        // Always: with `Never` a change of algorithm or size could not be fulfilled (B52).
        rotationPolicy: 'Always',
        encoding: issuer.privateKey.encoding,
        algorithm: issuer.privateKey.algorithm,
        size: issuer.privateKey.size,
      },
    },
  };
}

/** Does the standing resource say all that is wanted? What it says beyond that is somebody else's and left alone. */
export function saysAll(standing: KubeObject, wanted: KubeObject): boolean {
  return holds(standing['spec'], wanted['spec'], '');
}

const durations = new Set(['duration', 'renewBefore']);

function holds(standing: unknown, wanted: unknown, field: string): boolean {
  if (wanted === standing) return true;
  if (typeof wanted === 'string') {
    // Go writes 1440h as 1440h0m0s: another text, the same duration.
    if (durations.has(field) && typeof standing === 'string')
      return parseDurationMs(standing) === parseDurationMs(wanted);
    return defaultOf(field) === wanted && standing === undefined;
  }
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(standing) &&
      standing.length === wanted.length &&
      wanted.every((item, index) => holds(standing[index], item, field))
    );
  }
  if (typeof wanted === 'object' && wanted !== null) {
    return Object.entries(wanted).every(([key, value]) =>
      holds((standing as Readonly<Record<string, unknown>> | undefined)?.[key], value, key),
    );
  }
  // An absent `isCA` is false.
  return wanted === false && standing === undefined;
}

/** The lifecycle-manager leaves the group out; cert-manager takes its own then. A common name may be absent and empty alike. */
function defaultOf(field: string): string | undefined {
  if (field === 'group') return CERTIFICATE.group;
  return field === 'commonName' ? '' : undefined;
}
