import type { LeaseSpec as OfficialLeaseSpec } from 'kubernetes-types/coordination/v1.js';
import { describe, expect, test } from 'vitest';
import { createTestClock, type TestClock } from '../controller/test-clock.ts';
import { createKubeClient } from './client.ts';
import { errorWithoutAnswer } from './errors.ts';
import {
  type ElectionEnd,
  type Leadership,
  type LeaseObject,
  type LeaseSpec,
  microTime,
  runElection,
} from './lease.ts';
import { createMemoryTransport, type MemoryTransport } from './memory-transport.ts';

const PATH = '/apis/coordination.k8s.io/v1/namespaces/kcp/leases/keyturn';

interface Candidate {
  readonly stop: AbortController;
  leadership: Leadership | undefined;
  end: ElectionEnd | undefined;
  readonly finished: Promise<void>;
}

function stand(identity: string, clock: TestClock, transport: MemoryTransport): Candidate {
  const stop = new AbortController();
  const client = createKubeClient({ server: 'http://memory', insecureSkipTlsVerify: false }, { transport });
  const candidate: Candidate = {
    stop,
    leadership: undefined,
    end: undefined,
    finished: runElection({
      client,
      clock,
      namespace: 'kcp',
      name: 'keyturn',
      identity,
      signal: stop.signal,
      random: () => 0,
      async lead(leadership) {
        candidate.leadership = leadership;
        if (!leadership.signal.aborted) {
          await new Promise((resolve) => leadership.signal.addEventListener('abort', resolve));
        }
      },
    }).then((end) => {
      candidate.end = end;
    }),
  };
  return candidate;
}

const holder = (transport: MemoryTransport) =>
  (transport.stored(PATH) as LeaseObject | undefined)?.spec?.holderIdentity;

describe('the election', () => {
  test('is won by the first; the second waits as long as the first renews', async () => {
    const clock = createTestClock();
    const transport = createMemoryTransport();
    const first = stand('first', clock, transport);
    await clock.advance(0);
    const second = stand('second', clock, transport);
    await clock.advance(120_000);
    expect([first.leadership?.held(), second.leadership]).toEqual([true, undefined]);
    first.stop.abort();
    second.stop.abort();
    await Promise.all([first.finished, second.finished]);
  });

  test('passes at once when the leader stops and gives the lease back', async () => {
    const clock = createTestClock();
    const transport = createMemoryTransport();
    const first = stand('first', clock, transport);
    await clock.advance(0);
    const second = stand('second', clock, transport);
    await clock.advance(10_000);
    first.stop.abort();
    await first.finished;
    expect([first.end, holder(transport)]).toEqual(['stopped', '']);
    await clock.advance(2_000);
    expect(second.leadership?.held()).toBe(true);
    second.stop.abort();
    await second.finished;
  });

  test('passes after the duration when the leader has died, by the clock of the one who waits', async () => {
    const clock = createTestClock();
    const transport = createMemoryTransport();
    const client = createKubeClient({ server: 'http://memory', insecureSkipTlsVerify: false }, { transport });
    const signal = new AbortController().signal;
    const { LEASE } = await import('./resource.ts');
    // A dead holder whose clock was a day ahead: its times must not keep the lease.
    await client.create<LeaseObject>(
      LEASE,
      {
        metadata: { namespace: 'kcp', name: 'keyturn' },
        spec: { holderIdentity: 'dead', leaseDurationSeconds: 15, renewTime: microTime(clock.nowMs() + 86_400_000) },
      },
      { signal },
    );
    const second = stand('second', clock, transport);
    await clock.advance(14_000);
    expect(second.leadership).toBeUndefined();
    await clock.advance(4_000);
    expect(second.leadership?.held()).toBe(true);
    second.stop.abort();
    await second.finished;
  });

  test('is lost when the lease cannot be renewed before the deadline, well before another may take it', async () => {
    const clock = createTestClock();
    const transport = createMemoryTransport();
    const first = stand('first', clock, transport);
    await clock.advance(2_000);
    transport.intercept = (request) => {
      throw errorWithoutAnswer(request, 'TimedOut', 'no answer', true);
    };
    await clock.advance(9_999);
    expect(first.leadership?.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(first.leadership?.signal.aborted).toBe(true);
    await first.finished;
    expect(first.end).toBe('lost');
  });

  test('survives lost answers for less than the deadline', async () => {
    const clock = createTestClock();
    const transport = createMemoryTransport();
    const first = stand('first', clock, transport);
    await clock.advance(2_000);
    transport.intercept = (request) => {
      throw errorWithoutAnswer(request, 'ConnectionLost', 'lost', true);
    };
    await clock.advance(7_000);
    transport.intercept = undefined;
    await clock.advance(60_000);
    expect(first.leadership?.held()).toBe(true);
    first.stop.abort();
    await first.finished;
    expect(first.end).toBe('stopped');
  });

  test('is lost at once when another has taken the lease', async () => {
    const clock = createTestClock();
    const transport = createMemoryTransport();
    const first = stand('first', clock, transport);
    await clock.advance(0);
    const client = createKubeClient({ server: 'http://memory', insecureSkipTlsVerify: false }, { transport });
    const { LEASE } = await import('./resource.ts');
    const signal = new AbortController().signal;
    const lease = await client.get<LeaseObject>(LEASE, { namespace: 'kcp', name: 'keyturn' }, { signal });
    await client.replace<LeaseObject>(
      LEASE,
      { ...lease, spec: { ...lease.spec, holderIdentity: 'usurper' } },
      { signal },
    );
    await clock.advance(4_000);
    await first.finished;
    expect([first.end, holder(transport)]).toEqual(['lost', 'usurper']);
  });

  test('is not held any more by a process that was paused, even before its timers run', async () => {
    const clock = createTestClock();
    const transport = createMemoryTransport();
    const first = stand('first', clock, transport);
    await clock.advance(0);
    let heldAtWakeUp: boolean | undefined;
    transport.intercept = (request) => {
      throw errorWithoutAnswer(request, 'TimedOut', 'paused', true);
    };
    // This timer is due at the same moment as the deadline and was set earlier than its last renewal.
    clock.setTimer(10_000, () => {
      heldAtWakeUp = first.leadership?.held();
    });
    await clock.advance(10_000);
    expect(heldAtWakeUp).toBe(false);
    await first.finished;
  });
});

test('times carry six fractional digits', () => {
  expect(microTime(Date.UTC(2026, 11, 1, 3, 4, 5, 67))).toBe('2026-12-01T03:04:05.067000Z');
});

test('our Lease is the one of Kubernetes', () => {
  // Checked by the compiler: each field that we write has the official name and type.
  const ours: Required<
    Pick<LeaseSpec, 'holderIdentity' | 'leaseDurationSeconds' | 'acquireTime' | 'renewTime' | 'leaseTransitions'>
  > = {
    holderIdentity: 'a',
    leaseDurationSeconds: 15,
    acquireTime: microTime(0),
    renewTime: microTime(0),
    leaseTransitions: 0,
  };
  const official: Required<OfficialLeaseSpec> = ours;
  expect(Object.keys(official)).toHaveLength(5);
});
