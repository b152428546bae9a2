import { X509Certificate } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { type IssuedPair, issueLeaf, issueRoot } from '../src/pki/issue.ts';
import { awaitedEnd, awaitedPairs } from './awaited.ts';
import { digestOf, type Held, type Standing } from './standing.ts';

const validity = {
  notBeforeMs: Date.now() - 60_000,
  notAfterMs: Date.now() + 3_600_000,
  keyAlgorithm: 'P-256',
} as const;
let old: IssuedPair;
let current: IssuedPair;
let oldLeaf: X509Certificate;
let leaf: X509Certificate;

beforeAll(async () => {
  [old, current] = await Promise.all([root(), root()]);
  [oldLeaf, leaf] = await Promise.all([leafOf(old), leafOf(current)]);
});

function root(): Promise<IssuedPair> {
  return issueRoot({ subject: { commonName: 'root' }, ...validity });
}

async function leafOf({ certificatePem, keyPem }: IssuedPair): Promise<X509Certificate> {
  const signer = { rootCertificatePem: certificatePem, rootKeyPem: keyPem };
  return new X509Certificate((await issueLeaf({ ...signer, dnsNames: ['a'], ...validity })).certificatePem);
}

const held = (of: X509Certificate, ...roots: readonly IssuedPair[]): Held => ({
  roots: roots.map(({ certificatePem }) => digestOf(new X509Certificate(certificatePem))),
  leaf: of,
});

function standing(
  runtime: { secret?: Held; mounted?: Held; caBundle?: Held },
  gateway: Held,
  endpoint: Held,
): Standing {
  const good = held(leaf, current);
  return {
    root: new X509Certificate(current.certificatePem),
    gateway,
    closing: [],
    runtimes: new Map([['r', { secret: good, mounted: good, caBundle: good, ...runtime }]]),
    endpoints: new Map([['e', endpoint]]),
  };
}

it('awaits nothing when the current root is alone everywhere', () => {
  const good = held(leaf, current);
  expect(awaitedEnd(standing({}, good, good))).toEqual([]);
});

it('has the rotation proven while the old root still stands in bundles, but not at its end', () => {
  const both = held(leaf, current, old);
  const state = standing({ secret: both, mounted: both, caBundle: both }, both, both);
  expect(awaitedPairs(state)).toEqual([]);
  expect(awaitedEnd(state).map((text) => text.replace(/ holds .*/, ''))).toEqual([
    'the gateway Secret',
    "r's Secret",
    'the folder of r',
    'the caBundle of r',
    'e',
  ]);
});

it('names the party that is behind: the Secret, the folder, the endpoint', () => {
  const [good, behind] = [held(leaf, current), held(oldLeaf, current)];
  expect(awaitedPairs(standing({ secret: behind }, good, good))).toEqual([
    "r's Secret has no pair of the current root",
  ]);
  expect(awaitedPairs(standing({ mounted: behind }, good, good))).toEqual([
    'r has not mounted its pair of the current root',
  ]);
  expect(awaitedPairs(standing({}, good, behind))).toEqual(['e presents no server certificate of the current root']);
  expect(awaitedPairs(standing({ secret: held(leaf, old) }, good, good))).toEqual([
    "r's Secret lacks the current root",
  ]);
});
