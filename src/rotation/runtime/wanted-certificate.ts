import { clientDnsNames } from '../../api/names.ts';
import type { TrustDomainSpec } from '../../api/trust-domain.ts';
import type { Member } from '../../fleet/member.ts';
import type { ClientCertificate } from '../../issuers/issuer.ts';

/** What the client certificate of a runtime should be. */
export function wantedCertificate(member: Member, spec: TrustDomainSpec): ClientCertificate {
  const { webhook, secret } = spec.runtimes;
  return {
    runtime: member.name,
    commonName: member.commonName,
    dnsNames: clientDnsNames(member.domain, spec.issuer.additionalDnsNames, webhook.name, secret.namespace),
  };
}
