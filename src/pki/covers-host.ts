import type { Certificate } from './certificate.ts';

/**
 * Whether a server certificate is good for a host, as Go and OpenSSL match it: by DNS names alone, never the common name,
 * without regard to case; a wildcard stands for exactly one label, the first. A Gateway may list a wildcard as host: it is
 * covered by the same wildcard only.
 */
export function coversHost(certificate: Pick<Certificate, 'dnsNames'>, host: string): boolean {
  const wanted = plain(host);
  if (wanted === '') return false;
  const dot = wanted.indexOf('.');
  const wildcard = dot > 0 ? `*${wanted.slice(dot)}` : null;
  return certificate.dnsNames.some((name) => plain(name) === wanted || plain(name) === wildcard);
}

function plain(name: string): string {
  const lower = name.toLowerCase();
  return lower.endsWith('.') ? lower.slice(0, -1) : lower;
}
