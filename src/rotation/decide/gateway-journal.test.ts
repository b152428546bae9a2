import { describe, expect, test } from 'vitest';
import {
  answer,
  delays,
  gatewaySecret,
  nowMs,
  renewal,
  root,
  round,
  serverLeaf,
} from '../../../test/decisions/build.ts';
import {
  type EndpointAnswer,
  everyEndpointAccepts,
  type GatewayJournal,
  isSettled,
  noteRound,
  noteSecret,
  possibleServerSigners,
  startJournal,
} from './gateway-journal.ts';
import type { Root, ServerLeaf } from './values.ts';

const a = root('a');
const b = root('b');
const c = root('c');
const ofA = serverLeaf('la', 'a');
const ofB = serverLeaf('lb', 'b');
const { probeDelayMs, propagationDelayMs } = delays;

/** What was proven, and then written by this process at these times. */
function written(
  first: readonly [bundle: readonly Root[], server: ServerLeaf | null],
  ...later: readonly (readonly [atMs: number, bundle: readonly Root[], server: ServerLeaf | null])[]
): GatewayJournal {
  const proof = { bundleVersion: 'v0', serverVersion: 'v0' };
  const start = startJournal(gatewaySecret(first[0], first[1], { resourceVersion: 'v0' }), 0, proof);
  return later.reduce(
    (journal, [atMs, bundle, server], index) =>
      noteSecret(journal, gatewaySecret(bundle, server, { resourceVersion: `v${index + 1}` }), atMs, true),
    start,
  );
}

const asked = (journal: GatewayJournal, startedMs: number, ...endpoints: readonly EndpointAnswer[]): GatewayJournal =>
  noteRound(journal, round(startedMs, ...endpoints), delays, nowMs);
const bundles = (journal: GatewayJournal): string =>
  journal.bundles.map(({ value }) => value?.map(({ digest }) => digest).join('+') ?? '?').join(' ');
const servers = (journal: GatewayJournal): string =>
  journal.servers.map(({ value }) => (value === null ? '?' : value === 'none' ? '-' : value.digest)).join(' ');

describe('what is written', () => {
  test('a value stays possible until a later one is proven', () => {
    const journal = written([[a], ofA], [1, [b, a], ofA], [2, [b, a], ofB], [3, [c, b, a], ofB]);
    expect(bundles(journal)).toBe('a b+a c+b+a');
    expect(servers(journal)).toBe('la lb');
    expect(everyEndpointAccepts(journal, 'a', nowMs)).toBe(true);
    expect(everyEndpointAccepts(journal, 'b', nowMs)).toBe(false);
    expect(possibleServerSigners(journal)).toEqual(['a', 'b']);
    expect(isSettled(journal)).toBe(false);
  });

  test('a write that changes neither bundle nor server certificate adds nothing', () => {
    const journal = written([[a], ofA], [1, [a], ofA]);
    expect(journal.version).toBe('v1');
    expect(isSettled(journal)).toBe(true);
  });

  test('the same version read again changes nothing', () => {
    const journal = written([[a], ofA], [1, [b, a], ofA]);
    expect(noteSecret(journal, gatewaySecret([b, a], ofA, { resourceVersion: 'v1' }), 9, false)).toBe(journal);
  });

  test('a version that somebody else wrote begins the journal anew, for it may hide others', () => {
    const journal = noteSecret(written([[a], ofA]), gatewaySecret([b, a], ofA, { resourceVersion: 'x' }), 9, false);
    expect(bundles(journal)).toBe('? b+a');
    expect(servers(journal)).toBe('? la');
    expect(everyEndpointAccepts(journal, 'a', nowMs)).toBe(false);
    expect(possibleServerSigners(journal)).toBeNull();
  });

  test('a Secret without a server certificate presents none, which is known', () => {
    expect(possibleServerSigners(written([[a], null]))).toEqual([]);
    expect(possibleServerSigners(written([[a], null], [1, [a], ofA]))).toEqual(['a']);
  });

  test('a server certificate of an unknown signer leaves it open what is presented', () => {
    expect(possibleServerSigners(written([[a], serverLeaf('foreign', null)]))).toBeNull();
  });
});

describe('a stored proof', () => {
  const secret = gatewaySecret([a], ofA, { resourceVersion: 'v5' });

  test('counts for the very version it was had for', () => {
    const journal = startJournal(secret, 0, { bundleVersion: 'v5', serverVersion: 'v5' });
    expect(isSettled(journal)).toBe(true);
    expect(everyEndpointAccepts(journal, 'a', nowMs)).toBe(true);
  });

  test('of another version says nothing', () => {
    const journal = startJournal(secret, 0, { bundleVersion: 'v4', serverVersion: 'v6' });
    expect(bundles(journal)).toBe('? a');
    expect(servers(journal)).toBe('? la');
  });

  test('of the bundle is none of the server certificate', () => {
    const journal = startJournal(secret, 0, { bundleVersion: 'v5', serverVersion: 'v4' });
    expect(bundles(journal)).toBe('a');
    expect(servers(journal)).toBe('? la');
    expect(isSettled(journal)).toBe(false);
  });
});

describe('the bundle by probe', () => {
  test('a certificate of the new root that every endpoint answers proves the bundle that brought it', () => {
    const journal = asked(
      written([[a], ofA], [1, [b, a], ofA]),
      2,
      answer({ accepted: ['b'] }),
      answer({ accepted: ['a', 'b'] }),
    );
    expect(bundles(journal)).toBe('b+a');
    expect(everyEndpointAccepts(journal, 'b', nowMs)).toBe(true);
    expect(journal.doubt).toBeNull();
  });

  test('one endpoint that does not answer it keeps it unproven', () => {
    const journal = asked(
      written([[a], ofA], [1, [b, a], ofA]),
      2,
      answer({ accepted: ['b'] }),
      answer({ unanswered: ['b'] }),
    );
    expect(bundles(journal)).toBe('a b+a');
    expect(journal.doubt).toBe('GatewayUnanswered');
    const two = [answer({ accepted: ['b'] }), answer({ accepted: ['b'] })];
    const third = asked(written([[a], ofA], [1, [b, a], ofA]), 2, ...two, answer({ accepted: ['a'] }));
    expect(bundles(third)).toBe('a b+a');
  });

  test('a key that an older bundle accepts as well proves nothing of the newer', () => {
    const journal = asked(written([[a], ofA], [1, [b, a], ofA]), 2, answer({ accepted: ['a'] }));
    expect(bundles(journal)).toBe('a b+a');
  });

  test('each round proves as far as its newest key reaches', () => {
    const journal = written([[a], ofA], [1, [b, a], ofA], [2, [c, b, a], ofA]);
    expect(bundles(asked(journal, 3, answer({ accepted: ['b'], unanswered: ['c'] })))).toBe('b+a c+b+a');
    expect(bundles(asked(journal, 3, answer({ accepted: ['b', 'c'] })))).toBe('c+b+a');
  });

  test('an endpoint that answers a throw-away certificate proves nothing, however long it has been so', () => {
    const journal = asked(
      written([[a], ofA], [1, [b, a], ofA]),
      1 + 10 * probeDelayMs,
      answer({ accepted: ['b'] }),
      answer({ accepted: ['b'], throwaway: 'accepted' }),
    );
    expect(bundles(journal)).toBe('a b+a');
    expect(journal.doubt).toBe('GatewayAcceptsAnyone');
  });

  test('without an answer to the throw-away certificate an answer is no proof, and the delay stands in', () => {
    const journal = written([[a], ofA], [1, [b, a], ofA]);
    const mute = answer({ accepted: ['b'], throwaway: 'unanswered' });
    expect(bundles(asked(journal, probeDelayMs, mute))).toBe('a b+a');
    expect(bundles(asked(journal, 1 + probeDelayMs, mute))).toBe('b+a');
  });
});

describe('the bundle by delay', () => {
  test('where nobody answers, the probe delay stands in, counted to the start of the round', () => {
    const journal = written([[a], ofA], [1, [b, a], ofA]);
    const mute = answer({ unanswered: ['b'], throwaway: 'unanswered' });
    expect(bundles(asked(journal, probeDelayMs, mute))).toBe('a b+a');
    const after = asked(journal, 1 + probeDelayMs, mute);
    expect(bundles(after)).toBe('b+a');
    expect(after.doubt).toBe('GatewayUnanswered');
  });

  test('the same holds where there is no endpoint at all', () => {
    const journal = written([[a], ofA], [1, [b, a], ofA]);
    expect(bundles(asked(journal, probeDelayMs))).toBe('a b+a');
    expect(bundles(asked(journal, 1 + probeDelayMs))).toBe('b+a');
    expect(asked(journal, 1).doubt).toBe('GatewayUnanswered');
  });

  test('a refusal at one endpoint blocks, however long it lasts', () => {
    const journal = asked(
      written([[a], ofA], [1, [b, a], ofA]),
      1 + 1000 * probeDelayMs,
      answer({ accepted: ['b'] }),
      answer({ refused: ['b'] }),
    );
    expect(bundles(journal)).toBe('a b+a');
    expect(journal.doubt).toBe('GatewayRefuses');
  });

  test('a refusal of a root that has left is as it should be', () => {
    const journal = asked(
      written([[b, a], ofB], [1, [b], ofB]),
      1 + probeDelayMs,
      answer({ accepted: ['b'], refused: ['a'] }),
    );
    expect(bundles(journal)).toBe('b');
    expect(journal.doubt).toBeNull();
  });

  test('each value has its own delay: a later one does not start the wait of an earlier again', () => {
    const journal = written([[a], ofA], [1, [b, a], ofA], [probeDelayMs, [c, b, a], ofA]);
    expect(bundles(asked(journal, 1 + probeDelayMs, answer({ unanswered: ['b', 'c'] })))).toBe('b+a c+b+a');
  });

  test('a refused later root does not hold up an earlier one that cannot be probed', () => {
    const journal = written([[a], ofA], [1, [b, a], ofA], [2, [c, b, a], ofA]);
    expect(bundles(asked(journal, 2 + probeDelayMs, answer({ refused: ['c'] })))).toBe('b+a c+b+a');
  });
});

describe('a root that was dropped and comes back', () => {
  const journal = written([[b, a], ofA], [1, [a], ofA], [2, [b, a], ofA]);

  test('is not proven by a probe, which may meet the value before the drop', () => {
    const after = asked(journal, 3, answer({ accepted: ['a', 'b'] }));
    expect(bundles(after)).toBe('b+a a b+a');
    expect(everyEndpointAccepts(after, 'b', nowMs)).toBe(false);
  });

  test('is proven by the delay', () => {
    const after = asked(journal, 2 + probeDelayMs, answer({ accepted: ['a', 'b'] }));
    expect(bundles(after)).toBe('b+a');
    expect(everyEndpointAccepts(after, 'b', nowMs)).toBe(true);
  });
});

describe('a renewed root', () => {
  const journal = written([[a], ofA], [1, [renewal(a, 'a2'), a], ofA]);

  test('cannot be told from the earlier one by a probe, and needs no proof for its leaves', () => {
    const after = asked(journal, 2, answer({ accepted: ['a'] }));
    expect(bundles(after)).toBe('a a2+a');
    expect(everyEndpointAccepts(after, 'a', nowMs)).toBe(true);
  });

  test('once the delay has passed the earlier one no longer limits how long its leaves are good for', () => {
    const late = asked(journal, 1 + probeDelayMs, answer({ accepted: ['a'] }));
    expect(bundles(late)).toBe('a2+a');
    expect(everyEndpointAccepts(late, 'a', a.notAfterMs)).toBe(true);
    expect(everyEndpointAccepts(journal, 'a', a.notAfterMs)).toBe(false);
  });
});

describe('after a restart', () => {
  const journal = startJournal(gatewaySecret([b, a], ofB, { resourceVersion: 'v5' }), 1000, null);
  const answers = answer({ accepted: ['a', 'b'], serverDigests: ['lb'] });

  test('no probe rules out what was before, only the propagation delay does', () => {
    expect(bundles(asked(journal, 1000 + propagationDelayMs - 1, answers))).toBe('? b+a');
    expect(bundles(asked(journal, 1000 + propagationDelayMs, answers))).toBe('b+a');
  });

  test('the same holds for the server certificate', () => {
    expect(servers(asked(journal, 1000 + propagationDelayMs - 1, answers))).toBe('? lb');
    expect(servers(asked(journal, 1000 + propagationDelayMs, answers))).toBe('lb');
  });

  test('a refusal holds even the propagation delay up', () => {
    const after = asked(
      journal,
      1000 + 10 * propagationDelayMs,
      answer({ accepted: ['a'], refused: ['b'], serverDigests: ['la'] }),
    );
    expect(bundles(after)).toBe('? b+a');
    expect(servers(after)).toBe('? lb');
  });
});

describe('the server certificate', () => {
  const journal = written([[b, a], ofA], [1, [b, a], ofB]);

  test('is proven when every endpoint presents the new one', () => {
    const after = asked(journal, 2, answer({ serverDigests: ['lb'] }), answer({ serverDigests: ['lb'] }));
    expect(servers(after)).toBe('lb');
    expect(possibleServerSigners(after)).toEqual(['b']);
  });

  test('is not proven while one endpoint presents the old one, however long that lasts', () => {
    const after = asked(
      journal,
      1 + 1000 * probeDelayMs,
      answer({ serverDigests: ['lb'] }),
      answer({ serverDigests: ['la'] }),
    );
    expect(servers(after)).toBe('la lb');
  });

  test('is not proven by an endpoint that presents both', () => {
    expect(servers(asked(journal, 1 + probeDelayMs, answer({ serverDigests: ['lb', 'la'] })))).toBe('la lb');
  });

  test('where an endpoint shows none the delay stands in', () => {
    const half = [answer({ serverDigests: ['lb'] }), answer({ unanswered: ['b'] })];
    expect(servers(asked(journal, probeDelayMs, ...half))).toBe('la lb');
    expect(servers(asked(journal, 1 + probeDelayMs, ...half))).toBe('lb');
  });

  test('one that nobody knows proves nothing, however long it is presented', () => {
    expect(servers(asked(journal, 1 + 1000 * probeDelayMs, answer({ serverDigests: ['foreign'] })))).toBe('la lb');
  });

  test('moves on apart from the bundle, since an endpoint loads them apart', () => {
    const both = written([[a], ofA], [1, [b, a], ofB]);
    const after = asked(both, 2, answer({ accepted: ['b'], serverDigests: ['la'] }));
    expect(bundles(after)).toBe('b+a');
    expect(servers(after)).toBe('la lb');
  });
});

test('acceptance everywhere counts the margin before the end of a root', () => {
  const journal = written([[a], ofA]);
  expect(everyEndpointAccepts(journal, 'a', a.notAfterMs - 11, 10)).toBe(true);
  expect(everyEndpointAccepts(journal, 'a', a.notAfterMs - 10, 10)).toBe(false);
  expect(everyEndpointAccepts(journal, null, nowMs)).toBe(false);
});
