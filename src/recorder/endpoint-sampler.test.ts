import { expect, it } from 'vitest';
import type { EnvoyInUse } from '../checker/history.ts';
import { createTestClock } from '../controller/test-clock.ts';
import { startSampler } from './endpoint-sampler.ts';

const start = Date.UTC(2026, 0, 1);

function sampling() {
  const clock = createTestClock(start);
  const samples: EnvoyInUse[] = [];
  const shown = { pem: 'old', lastUpdated: '2026-01-01T00:00:00.123Z', answers: true };
  const sampler = startSampler({
    endpoint: {
      name: 'igw-0',
      configDump: () =>
        shown.answers
          ? Promise.resolve({ bundle: { pem: shown.pem, lastUpdated: shown.lastUpdated } })
          : Promise.reject(new Error('connection refused')),
    },
    everyMs: 100,
    clock,
    signal: new AbortController().signal,
    onSample: (sample) => samples.push(sample),
  });
  const seen = () => samples.map(({ atMs, caPem }) => `${atMs - start} ${caPem}`);
  return { clock, samples, shown, sampler, seen };
}

it('tells the last sample with the old value and the first with the new', async () => {
  const { clock, samples, shown, sampler, seen } = sampling();
  await clock.advance(450);
  Object.assign(shown, { pem: 'new', lastUpdated: '2026-01-01T00:00:00.480Z' });
  await clock.advance(1_000);
  await sampler.stop();
  expect(seen()).toEqual(['0 old', '400 old', '500 new', '1400 new']);
  expect(samples[0]).toMatchObject({ endpoint: 'igw-0', serverPem: null, caLoadedAtMs: start + 123 });
});

it('takes what is shown under an old time stamp for refused: the endpoint goes on with what it had', async () => {
  const { clock, shown, sampler, seen } = sampling();
  await clock.advance(150);
  shown.pem = 'rubbish';
  await clock.advance(200);
  Object.assign(shown, { pem: 'new', lastUpdated: '2026-01-01T00:00:00.360Z' });
  await clock.advance(100);
  await sampler.stop();
  expect(seen()).toEqual(['0 old', '300 old', '400 new']);
});

it('takes an endpoint that does not answer to use what it used, unless it is said to be down', async () => {
  const { clock, shown, sampler, seen } = sampling();
  await clock.advance(50);
  shown.answers = false;
  await clock.advance(500);
  expect(seen()).toEqual(['0 old']);
  sampler.down();
  expect(seen()).toEqual(['0 old', '550 null']);
  shown.answers = true;
  await clock.advance(100);
  await sampler.stop();
  expect(seen().at(2)).toBe('600 old');
});
