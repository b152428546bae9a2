import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  type Bundle,
  contains,
  containsAll,
  encodeBundle,
  laterExpiringFirst,
  parseBundle,
  prepend,
  sameSet,
  union,
  without,
} from './bundle.ts';
import type { Certificate } from './certificate.ts';
import { type IssuedPair, issueRoot } from './issue.ts';
import { encodePem, splitPem } from './pem.ts';

const startMs = Date.UTC(2026, 0, 1);
const dayMs = 86_400_000;
let roots: readonly Certificate[] = [];
let first: IssuedPair;

beforeAll(async () => {
  const subject = { commonName: 'root' };
  const request = { subject, notBeforeMs: startMs, notAfterMs: startMs + 90 * dayMs, keyAlgorithm: 'P-256' } as const;
  const rekeyed = await Promise.all([issueRoot(request), issueRoot(request), issueRoot(request), issueRoot(request)]);
  first = rekeyed[0];
  const renewed = await Promise.all(
    [30, 120].map((days) => issueRoot({ ...request, keyPem: first.keyPem, notAfterMs: startMs + days * dayMs })),
  );
  roots = [...rekeyed, ...renewed].map((pair) => pair.certificate);
});

const bundles = (): fc.Arbitrary<Bundle> => fc.array(fc.constantFrom(...roots), { maxLength: 8 });
const digests = (bundle: Bundle): readonly string[] => bundle.map((certificate) => certificate.digest);

// What people and tools put around and between blocks. None of it begins a block, so none may cost or add a certificate.
const noise = fc.constantFrom(
  '',
  '\n',
  '\r\n\r\n',
  '# comment\n',
  '   \t\n',
  'subject=CN = root\nissuer=CN = root\n',
  '# -----BEGIN CERTIFICATE-----\n# MIIB\n# -----END CERTIFICATE-----\n',
  'the block -----BEGIN CERTIFICATE----- is meant\n',
  '-----END CERTIFICATE-----\n',
  'ümläut\u2028\n',
);
const badBlock = fc.constantFrom(
  '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n',
  '-----BEGIN CERTIFICATE-----\nMII!\n-----END CERTIFICATE-----\n',
  '-----BEGIN CERTIFICATE-----\nTm90IGEgY2VydGlmaWNhdGU=\n-----END CERTIFICATE-----\n',
  '-----BEGIN PRIVATE KEY-----\nTm90IGEga2V5\n-----END PRIVATE KEY-----\n',
  '-----BEGIN CERTIFICATE-----\nMIIB\n-----END X509 CRL-----\n',
);
const shapes = fc.constantFrom(
  (pem: string) => pem,
  (pem: string) => pem.replaceAll('\n', '\r\n'),
  (pem: string) => pem.replaceAll('\n', '  \n'),
  (pem: string) => pem.replaceAll('\n', '\n    '),
  (pem: string) => pem.replace(/(?<!-)\n(?!-)/g, ''),
  (pem: string) => pem.replace(/(?<!-)\n(?!-)/g, '\n\n'),
);

describe('parsing a bundle', () => {
  test('never loses or invents a certificate, whatever stands around the blocks', () => {
    const piece = fc.tuple(noise, fc.constantFrom(...roots), shapes, fc.option(badBlock));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), noise, fc.boolean(), (pieces, tail, mark) => {
        const text =
          pieces.map(([before, root, shape, bad]) => `${before}${shape(root.pem).trimEnd()}\n${bad ?? ''}`).join('') +
          tail;
        const parsed = parseBundle(mark ? `\uFEFF${text}` : text);
        expect(digests(parsed.certificates)).toEqual([...new Set(pieces.map(([, root]) => root.digest))]);
        expect(parsed.defects.length).toBe(pieces.filter(([, , , bad]) => bad !== null).length);
      }),
      { numRuns: 300 },
    );
  });

  test('is undone by encoding, to the byte', () => {
    fc.assert(
      fc.property(bundles(), (bundle) => {
        const text = encodeBundle(union(bundle));
        const parsed = parseBundle(Buffer.from(text));
        expect(digests(parsed.certificates)).toEqual(digests(union(bundle)));
        expect(encodeBundle(parsed.certificates)).toBe(text);
        expect(parsed).toMatchObject({ canonical: true, defects: [] });
      }),
    );
  });

  test('gives something for any text at all, and no certificate that is not one', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.uint8Array()), (text) => {
        expect(parseBundle(text).certificates).toEqual([]);
      }),
    );
  });

  test('notices every byte that was changed within a certificate', () => {
    const der = Buffer.from(first.certificatePem.split('\n').slice(1, -2).join(''), 'base64');
    fc.assert(
      fc.property(fc.nat(der.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const changed = Buffer.from(der);
        changed[at] = (changed[at] ?? 0) ^ change;
        const { certificates } = parseBundle(encodePem('CERTIFICATE', changed));
        expect(digests(certificates)).not.toContain(first.certificate.digest);
      }),
    );
  });

  test.each([
    ['no final newline', (pem: string) => pem.trimEnd(), 1],
    ['an empty line at the end', (pem: string) => `${pem}\n`, 1],
    ['the same root twice', (pem: string) => pem + pem, 1],
    ['a second block on the line on which the first ends', (pem: string) => pem.trimEnd() + roots[1]?.pem, 2],
    ['a comment at the end', (pem: string) => `${pem}# comment`, 1],
  ])('reads a bundle with %s, and says that not everyone will', (_, change, count) => {
    const parsed = parseBundle(change(first.certificatePem));
    expect(parsed.certificates.length).toBe(count);
    expect(parsed).toMatchObject({ defects: [], canonical: false });
  });

  test.each([
    ['Unterminated', (pem: string) => pem.slice(0, -30)],
    ['Unterminated', (pem: string) => pem.slice(0, pem.indexOf('-----END')) + roots[1]?.pem],
    ['EndOfAnotherBlock', (pem: string) => pem.replace('END CERTIFICATE', 'END X509 CRL')],
    ['BadBase64', (pem: string) => pem.replace('\nMII', '\nProc-Type: 4,ENCRYPTED\n\nMII')],
    ['BadBase64', (pem: string) => pem.replace('\nMII', '\nMI')],
    ['TrailingBytes', () => encodePem('CERTIFICATE', Buffer.concat([derOfFirst(), Buffer.from([0])]))],
    ['Malformed', () => encodePem('CERTIFICATE', derOfFirst().subarray(0, -1))],
  ])('names %s and keeps the root that follows', (reason, change) => {
    const last = roots[2] as Certificate;
    const parsed = parseBundle(change(first.certificatePem) + (reason === 'Unterminated' ? '\n' : '') + last.pem);
    expect(parsed.defects.map((defect) => defect.reason)).toEqual([reason]);
    expect(contains(parsed.certificates, last)).toBe(true);
    expect(contains(parsed.certificates, first.certificate)).toBe(false);
  });

  test('shows nothing of a private key that stands in it (S4)', () => {
    const cut = first.keyPem.slice(0, -40);
    for (const text of [
      first.keyPem,
      cut,
      first.keyPem.replace('END PRIVATE KEY', 'END CERTIFICATE'),
      `${cut}\n${first.certificatePem}`,
    ]) {
      const shown = JSON.stringify([parseBundle(text), splitPem(text)]);
      for (const line of first.keyPem.split('\n').slice(1, -2)) expect(shown).not.toContain(line);
      expect(shown).not.toContain(Buffer.from(first.keyPem.split('\n')[1] ?? '', 'base64').join(','));
    }
  });
});

describe('bundle algebra', () => {
  test('union holds what either holds, once, and keeps the order', () => {
    fc.assert(
      fc.property(bundles(), bundles(), bundles(), (a, b, c) => {
        const all = union(a, b);
        expect(digests(all)).toEqual([...new Set(digests([...a, ...b]))]);
        expect(containsAll(all, a) && containsAll(all, b)).toBe(true);
        expect(union(all, a, b)).toEqual(all);
        expect(union(union(a, b), c)).toEqual(union(a, union(b, c)));
        expect(sameSet(union(a, b), union(b, a))).toBe(true);
      }),
    );
  });

  test('prepending a root loses none, and puts it first unless a later-expiring one has its key', () => {
    fc.assert(
      fc.property(fc.constantFrom(...roots), bundles(), (root, bundle) => {
        const result = prepend(root, bundle);
        expect(sameSet(result, [root, ...bundle])).toBe(true);
        expect(result.length).toBe(new Set(digests(result)).size);
        expect(result[0]?.keyId).toBe(root.keyId);
        expect(digests(prepend(root, result))).toEqual(digests(result));
        for (const [index, held] of result.entries()) {
          const later = result.slice(index + 1).filter((other) => other.keyId === held.keyId);
          expect(later.every((other) => other.notAfterMs <= held.notAfterMs)).toBe(true);
        }
      }),
    );
  });

  test('what is taken out is out, and nothing else is', () => {
    fc.assert(
      fc.property(bundles(), bundles(), (bundle, gone) => {
        const left = without(bundle, digests(gone));
        expect(left).toEqual(bundle.filter((root) => !contains(gone, root)));
      }),
    );
  });

  test('ordering generations changes neither the roots nor the places of their keys', () => {
    fc.assert(
      fc.property(bundles(), (bundle) => {
        const distinct = union(bundle);
        const ordered = laterExpiringFirst(distinct);
        expect(sameSet(ordered, distinct)).toBe(true);
        expect(ordered.map((root) => root.keyId)).toEqual(distinct.map((root) => root.keyId));
        expect(laterExpiringFirst(ordered)).toEqual(ordered);
      }),
    );
  });
});

function derOfFirst(): Buffer {
  return Buffer.from(first.certificatePem.split('\n').slice(1, -2).join(''), 'base64');
}
