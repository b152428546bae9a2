import { X509Certificate } from 'node:crypto';
import { expect, it } from 'vitest';
import { issueLeaf, issueRoot } from '../src/pki/issue.ts';
import { type DemoView, plainLines, tableLines } from './demo-table.ts';
import { digestOf, nothingHeld } from './standing.ts';

const validity = {
  notBeforeMs: Date.now() - 60_000,
  notAfterMs: Date.now() + 3_600_000,
  keyAlgorithm: 'P-256',
} as const;

async function view(): Promise<DemoView> {
  const [old, current] = await Promise.all([
    issueRoot({ subject: { commonName: 'root' }, ...validity }),
    issueRoot({ subject: { commonName: 'root' }, ...validity }),
  ]);
  const root = { rootCertificatePem: old.certificatePem, rootKeyPem: old.keyPem };
  const leaf = await issueLeaf({ ...root, dnsNames: ['runtime'], ...validity });
  const certificate = (of: { readonly certificatePem: string }) => new X509Certificate(of.certificatePem);
  const roots = [current, old].map((one) => digestOf(certificate(one)));
  const held = { roots, leaf: certificate(leaf) };
  const status = { proof: 'none', bundleCount: 2 } as const;
  return {
    standing: {
      root: certificate(current),
      gateway: held,
      closing: [],
      runtimes: new Map([['runtime-1', { secret: held, mounted: held, caBundle: nothingHeld }]]),
      endpoints: new Map(),
    },
    domain: undefined,
    records: [{ metadata: { name: 'runtime-1' }, spec: { trustDomainRef: { name: 'd' } }, status }],
    traffic: new Map([['runtime-1', { sent: 12, failed: 0 }]]),
    roots: [
      { name: 'root 1', certificate: certificate(old) },
      { name: 'root 2', certificate: certificate(current) },
    ],
    propagationDelayMs: 12_000,
  };
}

it('tells by the bytes which root signed what a client uses, though both roots have one name', async () => {
  const [runtime, gateway] = plainLines(await view());
  expect(runtime).toBe(
    'runtime-1: client certificate of root 1; bundle root 2, root 1; proof: delivered, 12 s running; 12 sent, 0 failed',
  );
  expect(gateway).toContain('bundle root 2, root 1; server certificate');
  expect(gateway).toContain('of root 1; candidate none');
});

it('fits into 80 columns', async () => {
  const lines = tableLines(await view(), (_, text) => text);
  expect(lines[1]).toMatch(/^runtime-1 root 1 +root 2, root 1 +delivered, 12 s running +12 +0$/);
  expect(Math.max(...lines.slice(0, 2).map((line) => line.length))).toBeLessThanOrEqual(80);
});
