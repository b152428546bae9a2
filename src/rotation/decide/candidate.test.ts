import { describe, expect, test } from 'vitest';
import { gatewaySecret, host, nowMs, renewBeforeMs, root, serverLeaf } from '../../../test/decisions/build.ts';
import { type CandidateSituation, candidateStep, covers, serverNeed } from './candidate.ts';

const a = root('a');
const b = root('b');
const c = root('c');

function situation(wishes: Partial<CandidateSituation> = {}): CandidateSituation {
  return {
    secret: gatewaySecret([b, a], serverLeaf('la', 'a')),
    current: b,
    candidate: null,
    hosts: [host],
    revoked: [],
    tainted: [],
    nowMs,
    renewBeforeMs,
    ...wishes,
  };
}

describe('the server certificate has to go', () => {
  const standing = (wishes: Parameters<typeof serverLeaf>[2], signer = 'b'): CandidateSituation =>
    situation({ secret: gatewaySecret([b, a], serverLeaf('lb', signer, wishes)) });

  test.each([
    ['when it is of an older root', standing({}, 'a'), 'ServerCertificateOfOlderRoot'],
    ['when it is the root itself', standing({ isRoot: true }), 'ServerCertificateIsRoot'],
    ['when it misses a host', standing({ dnsNames: ['other'] }), 'ServerCertificateMissesHosts'],
    ['when it nears its end', standing({ notAfterMs: nowMs + renewBeforeMs }), 'ServerCertificateNearsItsEnd'],
    ['when it has expired', standing({ notAfterMs: nowMs }), 'ServerCertificateUnusable'],
    ['when there is none', situation({ secret: gatewaySecret([b, a], null) }), 'ServerCertificateUnusable'],
  ] as const)('%s', (_, at, need) => {
    expect(serverNeed(at)).toBe(need);
    expect(candidateStep(at)).toEqual({ step: 'issue', root: b, why: need });
  });

  test('not while it is a leaf of the current root that covers all hosts and is good for long enough', () => {
    const at = standing({ notAfterMs: nowMs + renewBeforeMs + 1 });
    expect(serverNeed(at)).toBeNull();
    expect(candidateStep({ ...at, candidate: serverLeaf('spare', 'b') })).toEqual({ step: 'none' });
  });

  test('not because its root was renewed: it is signed by the same key', () => {
    expect(serverNeed({ ...standing({}), current: root('b2', { keyId: 'b' }) })).toBeNull();
  });
});

describe('a candidate', () => {
  const candidate = serverLeaf('lb', 'b');
  const bundle = [c, b, a];
  const later = situation({ secret: gatewaySecret(bundle, serverLeaf('la', 'a')), current: c, candidate });

  test('stays when a later root becomes current, so that a fast sequence of roots cannot keep the server back', () => {
    expect(candidateStep(later)).toEqual({ step: 'keep', candidate });
  });

  test.each([
    ['no longer covers the hosts', { ...later, hosts: [host, 'other'] }],
    ['has run out', { ...later, candidate: serverLeaf('lb', 'b', { notAfterMs: nowMs + renewBeforeMs }) }],
    ['is of a root that has left', { ...later, secret: gatewaySecret([c, a], serverLeaf('la', 'a')) }],
    ['is of a revoked root', { ...later, revoked: ['b'] }],
    ['is of no known root', { ...later, candidate: serverLeaf('lb', null) }],
    [
      'is of a root about to leave',
      { ...later, secret: gatewaySecret(bundle, serverLeaf('la', 'a'), { closing: ['b'] }) },
    ],
    ['is presented already: each switch uses a new leaf', { ...later, secret: gatewaySecret(bundle, candidate) }],
  ])('that %s is replaced by one of the current root', (_, at) => {
    expect(candidateStep(at)).toMatchObject({ step: 'issue', root: c });
  });

  test('of a root whose end is near is replaced', () => {
    const ending = root('b', { notAfterMs: nowMs + renewBeforeMs });
    const at = { ...later, secret: gatewaySecret([c, ending, a], serverLeaf('la', 'a')) };
    expect(candidateStep(at)).toMatchObject({ step: 'issue', root: c });
  });

  test('of another root is no way to renew a server certificate that is of the current root already', () => {
    const due = serverLeaf('lc', 'c', { notAfterMs: nowMs + renewBeforeMs });
    expect(candidateStep({ ...later, secret: gatewaySecret(bundle, due) })).toMatchObject({ step: 'issue', root: c });
    const own = serverLeaf('lc2', 'c');
    expect(candidateStep({ ...later, secret: gatewaySecret(bundle, due), candidate: own })).toEqual({
      step: 'keep',
      candidate: own,
    });
  });

  test('is issued only of a root that is in the bundle and not about to leave it', () => {
    expect(candidateStep(situation({ secret: gatewaySecret([a], serverLeaf('la', 'a')) }))).toEqual({ step: 'none' });
    const marked = gatewaySecret([b, a], serverLeaf('la', 'a'), { closing: ['b'] });
    expect(candidateStep(situation({ secret: marked }))).toEqual({ step: 'none' });
  });
});

describe('a leaf covers', () => {
  const leaf = (...dnsNames: string[]): ReturnType<typeof serverLeaf> => serverLeaf('l', 'a', { dnsNames });

  test.each([
    ['a host that it names, whatever the case', ['Listener.Example.com'], ['listener.example.COM'], true],
    ['all hosts or none', ['one.example.com'], ['one.example.com', 'two.example.com'], false],
    ['one label by a wildcard', ['*.example.com'], ['one.example.com'], true],
    ['no two labels by a wildcard', ['*.example.com'], ['one.two.example.com'], false],
    ['not the bare domain by a wildcard', ['*.example.com'], ['example.com'], false],
    ['a wildcard host only by the same wildcard', ['*.example.com'], ['*.example.com'], true],
    ['no wildcard host by a name', ['one.example.com'], ['*.example.com'], false],
    ['no wildcard host by a wider wildcard', ['*.com'], ['*.example.com'], false],
  ])('%s', (_, names, hosts, covered) => {
    expect(covers(leaf(...names), hosts)).toBe(covered);
  });
});

describe('where a root is tainted', () => {
  const tainted = (keys: readonly string[], wishes: Partial<CandidateSituation> = {}): CandidateSituation =>
    situation({ tainted: keys, ...wishes });

  test('and is the current one, the server stays where it is', () => {
    expect(candidateStep(tainted(['b']))).toEqual({ step: 'none' });
    expect(candidateStep(tainted(['b'], { candidate: serverLeaf('lb', 'b') }))).toEqual({ step: 'none' });
    // It may be tainted as well: nothing is gained by going from the one to the other.
    expect(candidateStep(tainted(['a', 'b']))).toEqual({ step: 'none' });
  });

  test.each([
    ['nears its end', serverLeaf('la', 'a', { notAfterMs: nowMs + renewBeforeMs }), {}],
    ['has expired', serverLeaf('la', 'a', { notAfterMs: nowMs }), {}],
    ['misses a host', serverLeaf('la', 'a', { dnsNames: ['other'] }), {}],
    ['is the root itself', serverLeaf('la', 'a', { isRoot: true }), {}],
    ['is of no known root', serverLeaf('la', null), {}],
    ['is of a revoked root', serverLeaf('la', 'a'), { revoked: ['a'] }],
  ] as const)('but where the certificate in place %s it moves all the same', (_, server, wishes) => {
    const at = tainted(['b'], { secret: gatewaySecret([b, a], server), ...wishes });
    expect(candidateStep(at)).toMatchObject({ step: 'issue', root: b });
    const candidate = serverLeaf('lb', 'b');
    expect(candidateStep({ ...at, candidate })).toEqual({ step: 'keep', candidate });
  });

  test('a candidate of a root in between that is not tainted is taken, whatever the current one is', () => {
    const secret = gatewaySecret([c, b, a], serverLeaf('la', 'a'));
    const candidate = serverLeaf('lb', 'b');
    expect(candidateStep(tainted(['c'], { secret, current: c, candidate }))).toEqual({ step: 'keep', candidate });
  });

  test('a candidate of it gives way to one of a current root that is not tainted', () => {
    const secret = gatewaySecret([c, b, a], serverLeaf('la', 'a'));
    const at = tainted(['b'], { secret, current: c, candidate: serverLeaf('lb', 'b') });
    expect(candidateStep(at)).toMatchObject({ step: 'issue', root: c });
  });
});
