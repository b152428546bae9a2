import fc from 'fast-check';
import { expect, test } from 'vitest';
import { everyEndpointAccepts, noteRound } from '../../src/rotation/decide/gateway-journal.ts';
import { delays, round, nowMs as wallMs } from './build.ts';
import { type GatewayHappening, startGatewayLife } from './life-of-a-gateway.ts';

const which = fc.nat(3);
const writes: fc.Arbitrary<GatewayHappening> = fc.oneof(
  fc.constant({ does: 'a root enters' } as const),
  which.map((at) => ({ does: 'a root is renewed', which: at }) as const),
  which.map((at) => ({ does: 'a root leaves', which: at }) as const),
  which.map((at) => ({ does: 'a root that left comes back', which: at }) as const),
  which.map((at) => ({ does: 'the server switches', which: at }) as const),
);
const rounds: fc.Arbitrary<GatewayHappening> = fc
  .record({ mute: fc.constantFrom(null, null, 0, 1), keys: fc.constantFrom('all' as const, 'some' as const) })
  .map((asked) => ({ does: 'a round', ...asked }));
const loads: fc.Arbitrary<GatewayHappening> = fc
  .record({ which: fc.nat(1), what: fc.constantFrom('bundle' as const, 'server' as const) })
  .map((loaded) => ({ does: 'an endpoint loads', ...loaded }));
const { probeDelayMs, propagationDelayMs } = delays;
const time = fc
  .constantFrom(1, 1000, probeDelayMs - 1, probeDelayMs, propagationDelayMs)
  .map((ms): GatewayHappening => ({ does: 'time passes', ms }));
const trouble: fc.Arbitrary<GatewayHappening> = fc.oneof(
  fc.constant({ does: 'somebody else writes' } as const),
  fc.nat(1).map((at) => ({ does: 'an endpoint may be slow', which: at }) as const),
  fc.boolean().map((withProof) => ({ does: 'the operator starts again', withProof }) as const),
);
const happening = fc.oneof(
  { weight: 4, arbitrary: writes },
  { weight: 5, arbitrary: rounds },
  { weight: 6, arbitrary: loads },
  { weight: 3, arbitrary: time },
  { weight: 1, arbitrary: trouble },
);
const happenings = fc.array(happening, { minLength: 5, maxLength: 40 });

test('whatever happens, the journal covers what every endpoint uses, and no root is trusted too early', () => {
  fc.assert(
    fc.property(happenings, (all) => {
      const life = startGatewayLife();
      for (const one of all) {
        life.step(one);
        const fault = life.fault();
        if (fault !== null) throw new Error(fault);
      }
    }),
    { numRuns: 1000 },
  );
});

test('a round only ever rules out the oldest values, never the newest', () => {
  fc.assert(
    fc.property(happenings, (all) => {
      const life = startGatewayLife();
      for (const one of all) {
        const before = life.journal();
        life.step(one);
        const after = life.journal();
        if (one.does !== 'a round') continue;
        const same = (list: 'bundles' | 'servers'): boolean => {
          const kept = after[list];
          return (
            kept.length > 0 && kept.every((at, index) => at === before[list][before[list].length - kept.length + index])
          );
        };
        if (!same('bundles') || !same('servers')) throw new Error('something else was dropped');
      }
    }),
    { numRuns: 300 },
  );
});

test('a key that an endpoint refuses is not trusted for any other answer of that round to it', () => {
  fc.assert(
    fc.property(happenings, fc.nat(10 * propagationDelayMs), (all, afterMs) => {
      const life = startGatewayLife();
      for (const one of all) life.step(one);
      const journal = life.journal();
      for (const { keyId } of journal.bundles.at(-1)?.value ?? []) {
        if (everyEndpointAccepts(journal, keyId, wallMs)) continue;
        const other = {
          accepted: [keyId],
          refused: [],
          unanswered: [],
          throwaway: 'refused',
          serverDigests: [],
        } as const;
        const asked = round(1e9 + afterMs, other, { ...other, accepted: [], refused: [keyId] });
        const after = noteRound(journal, asked, delays, wallMs);
        if (everyEndpointAccepts(after, keyId, wallMs)) throw new Error(`${keyId} is trusted`);
      }
    }),
    { numRuns: 300 },
  );
});

test('asked often enough, endpoints that answer and load end with nothing open', () => {
  fc.assert(
    fc.property(happenings, (all) => {
      const life = startGatewayLife();
      for (const one of all) life.step(one);
      for (let loaded = 0; loaded < 60; loaded += 1) {
        for (const which of [0, 1]) {
          life.step({ does: 'an endpoint loads', which, what: 'bundle' });
          life.step({ does: 'an endpoint loads', which, what: 'server' });
        }
      }
      life.step({ does: 'time passes', ms: propagationDelayMs });
      life.step({ does: 'a round', mute: null, keys: 'all' });
      expect(life.journal()).toMatchObject({ bundles: [{}], servers: [{}], doubt: null });
    }),
    { numRuns: 200 },
  );
});
