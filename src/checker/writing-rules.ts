import type { CertificateReader } from './certificates.ts';
import { short } from './certificates.ts';
import type { History, SecretVersion } from './history.ts';
import { groupBy } from './in-use.ts';
import { hasLeft } from './membership.ts';
import type { Violation } from './violations.ts';

// Fields of a Secret that are meant to hold a private key: `tls.key`, `key`, `candidate.tls.key`.
const keyField = /(?:^|[.-])key$/;

/** S4: private keys stand in their own fields only, and the root's in the root Secret only. */
export function judgeKeys(history: History, reader: CertificateReader): Violation[] {
  const violations: Violation[] = [];
  const leak = (atMs: number, where: string, text: string, runtime?: string) => {
    for (const key of new Set(reader.privateKeysIn(text))) {
      const detail = `private key ${short(digestOf(key))} stands in ${where}`;
      violations.push({ rule: 'S4', atMs, untilMs: atMs, ...(runtime !== undefined && { runtime }), detail });
    }
  };

  const rootKeys = new Set<string>();
  for (const { role, data } of history.secrets) {
    const key = role === 'root' ? data?.['tls.key'] : undefined;
    if (key) rootKeys.add(reader.keyIdentity(key));
  }
  for (const version of history.secrets) {
    const { atMs, role, runtime } = version;
    for (const [field, text] of Object.entries(version.data ?? {})) {
      // Somebody else's Secret may hold keys wherever it likes, but not a root's.
      if (!keyField.test(field) && role !== 'other') {
        leak(atMs, `${field} of Secret ${nameOf(version)}`, text, runtime);
        continue;
      }
      // The issuer had the key before it was the root's.
      if (role === 'root' || role === 'issuer') continue;
      if (role === 'gateway' && history.settings.gatewayPresentsRoot) continue;
      for (const key of keyField.test(field) ? [reader.keyIdentity(text)] : reader.privateKeysIn(text)) {
        if (!rootKeys.has(key)) continue;
        const detail = `private key ${short(digestOf(key))} of a root stands in ${field} of Secret ${nameOf(version)}`;
        violations.push({ rule: 'S4', atMs, untilMs: atMs, ...(runtime !== undefined && { runtime }), detail });
      }
    }
    for (const [name, text] of Object.entries(version.annotations ?? {})) {
      leak(atMs, `annotation ${name} of Secret ${nameOf(version)}`, text, runtime);
    }
  }
  for (const { atMs, cluster, name, caBundles } of history.webhooks) {
    for (const text of caBundles ?? []) leak(atMs, `caBundle of webhook configuration ${name}`, text, cluster);
  }
  for (const { atMs, runtime, data } of history.swaps) {
    for (const [field, text] of Object.entries(data ?? {})) {
      if (!keyField.test(field)) leak(atMs, `${field} of the folder`, text, runtime);
    }
  }
  for (const { atMs, endpoint, caPem, serverPem } of history.endpoints) {
    leak(atMs, `the bundle of endpoint ${endpoint}`, caPem ?? '');
    leak(atMs, `the server certificate of endpoint ${endpoint}`, serverPem ?? '');
  }
  for (const { atMs, cluster, where, text } of history.texts) leak(atMs, `${where} in ${cluster}`, text);
  return once(violations);
}

/** S5: no bundle is empty, and no credential that was there is deleted or emptied. */
export function judgeWrites(history: History, reader: CertificateReader): Violation[] {
  const violations: Violation[] = [];
  const written = history.secrets.filter(({ role }) => role !== 'root' && role !== 'issuer' && role !== 'other');
  for (const versions of groupBy(written, (version) => `${version.cluster}/${nameOf(version)}`).values()) {
    let held = false;
    for (const version of versions) {
      const { atMs, role, runtime, data } = version;
      const found = (detail: string) => {
        violations.push({ rule: 'S5', atMs, untilMs: atMs, ...(runtime !== undefined && { runtime }), detail });
      };
      if (data === null) {
        if (held && !hasLeft(history, runtime, atMs)) found(`credential ${nameOf(version)} was deleted`);
        held = false;
        continue;
      }
      // An issuer's own Secret has a ca.crt too, but nobody trusts by it.
      if (role !== 'hub-client' && reader.certificatesIn(data['ca.crt'] ?? '').length === 0) {
        found(`bundle of Secret ${nameOf(version)} is empty`);
      }
      const holds = reader.certificatesIn(data['tls.crt'] ?? '').length > 0;
      if (held && !holds) found(`credential ${nameOf(version)} was emptied`);
      held = holds;
    }
  }
  for (const versions of groupBy(history.webhooks, ({ cluster, name }) => `${cluster}/${name}`).values()) {
    const filled = new Set<number>();
    for (const { atMs, caBundles, cluster: runtime, name } of versions) {
      caBundles?.forEach((text, index) => {
        // Before its first delivery a configuration has no bundle, and nobody wrote that.
        if (reader.certificatesIn(text).length > 0) filled.add(index);
        else if (filled.has(index)) {
          const detail = `caBundle of webhook configuration ${name} is empty`;
          violations.push({ rule: 'S5', atMs, untilMs: atMs, runtime, detail });
        }
      });
      if (caBundles === null) filled.clear();
    }
  }
  return once(violations);
}

/** What is found in version after version is one violation, at the first. */
function once(violations: readonly Violation[]): Violation[] {
  const first = new Map<string, Violation>();
  for (const violation of violations) {
    const key = `${violation.rule} ${violation.runtime ?? ''} ${violation.detail}`;
    const seen = first.get(key);
    if (seen === undefined || violation.atMs < seen.atMs) first.set(key, violation);
  }
  return [...first.values()];
}

function nameOf({ namespace, name }: SecretVersion): string {
  return `${namespace}/${name}`;
}

function digestOf(identity: string): string {
  return identity.slice(identity.indexOf(':') + 1);
}
