import type { Certificate } from '../../pki/certificate.ts';

/** Value of `X-Forwarded-Client-Cert` as Istio's gateways set it for a verified client. */
export function forwardedCertificate(leaf: Certificate): string {
  const subject = leaf.subjectText.split(', ').reverse().join(',').replaceAll('"', '\\"');
  return [
    `Hash=${leaf.digest}`,
    `Cert="${encodeURIComponent(leaf.pem)}"`,
    `Subject="${subject}"`,
    'URI=',
    ...leaf.dnsNames.map((name) => `DNS=${name}`),
  ].join(';');
}
