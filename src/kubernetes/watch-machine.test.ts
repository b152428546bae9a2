import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { KubeObject } from './resource.ts';
import { beginWatch, stepWatch, type WatchInput, type WatchStep } from './watch-machine.ts';

const HOUR_MS = 3_600_000;

function object(name: string, resourceVersion: string, annotations: Record<string, string> = {}): KubeObject {
  return { metadata: { name, resourceVersion, annotations } };
}
const message = (type: string, of: KubeObject): WatchInput => ({ kind: 'message', type, object: of });
const endOfInitial = (version: string) =>
  message('BOOKMARK', object('', version, { 'k8s.io/initial-events-end': 'true' }));

/** Feeds inputs, each at a time in ms, and gives what came of the last one and all events so far. */
function run(...inputs: readonly (readonly [number, WatchInput])[]) {
  let last: WatchStep = beginWatch();
  const events: string[] = [];
  for (const [nowMs, input] of inputs) {
    last = stepWatch(last.state, input, { nowMs, random: 0, relistAfterMs: HOUR_MS });
    for (const event of last.events)
      events.push('object' in event ? `${event.type} ${event.object.metadata.name}` : event.type);
  }
  return { ...last, events };
}

const synced: readonly (readonly [number, WatchInput])[] = [
  [0, { kind: 'opened' }],
  [10, message('ADDED', object('a', '7'))],
  [20, endOfInitial('9')],
];

describe('the initial list', () => {
  test('comes as a stream that ends with a bookmark, after which the same connection goes on', () => {
    expect(beginWatch().command).toEqual({ pauseMs: 0, request: { kind: 'stream' } });
    const { events, state, command } = run(...synced);
    expect(events).toEqual(['Init', 'InitApply a', 'InitDone']);
    expect(state).toMatchObject({ phase: 'watching', resourceVersion: '9' });
    expect(command).toBeUndefined();
  });

  test('is not complete at a bookmark that does not say so', () => {
    const { events } = run([0, { kind: 'opened' }], [5, message('BOOKMARK', object('', '8'))]);
    expect(events).toEqual(['Init']);
  });

  test.each([400, 422])('comes in pages from a server that refuses to stream it (%i)', (status) => {
    const page = { items: [object('a', '1')], resourceVersion: '5' };
    const refused = run([0, { kind: 'refused', status }]);
    expect(refused.command).toEqual({ pauseMs: 0, request: { kind: 'page', continue: undefined } });
    const { events, command, state } = run(
      [0, { kind: 'refused', status }],
      [1, { kind: 'page', ...page, continue: 'more' }],
      [2, { kind: 'page', ...page, items: [object('b', '2')], continue: undefined }],
    );
    expect(events).toEqual(['Init', 'InitApply a', 'InitApply b', 'InitDone']);
    expect(command).toEqual({ pauseMs: 0, request: { kind: 'watch', resourceVersion: '5' } });
    expect(state.phase).toBe('watching');
  });

  test('comes in pages after two streams that never came to their end', () => {
    const once = run([0, { kind: 'opened' }], [1, { kind: 'closed', how: 'silent' }]);
    expect(once.command?.request).toEqual({ kind: 'stream' });
    const twice = run(
      [0, { kind: 'opened' }],
      [1, { kind: 'closed', how: 'silent' }],
      [2, { kind: 'opened' }],
      [3, { kind: 'closed', how: 'ended' }],
    );
    expect(twice.command?.request).toEqual({ kind: 'page', continue: undefined });
  });

  test('comes in pages where two streams got no answer, and as a stream again the next time', () => {
    const refused = [0, { kind: 'refused', status: undefined }] as const;
    expect(run(refused).command?.request).toEqual({ kind: 'stream' });
    expect(run(refused, refused).command?.request).toEqual({ kind: 'page', continue: undefined });
    const { command } = run(
      refused,
      refused,
      [5, { kind: 'page', items: [], resourceVersion: '5', continue: undefined }],
      [6, { kind: 'refused', status: 410 }],
    );
    expect(command?.request).toEqual({ kind: 'stream' });
  });

  test('never comes as a stream again from a server that does not know it', () => {
    const { command } = run(
      [0, { kind: 'refused', status: 422 }],
      [5, { kind: 'page', items: [], resourceVersion: '5', continue: undefined }],
      [6, { kind: 'refused', status: 410 }],
    );
    expect(command?.request).toEqual({ kind: 'page', continue: undefined });
  });

  test('begins again with the first page when a page is refused', () => {
    const { command } = run(
      [0, { kind: 'refused', status: 400 }],
      [1, { kind: 'page', items: [], resourceVersion: '5', continue: 'more' }],
      [2, { kind: 'refused', status: 410 }],
    );
    expect(command?.request).toEqual({ kind: 'page', continue: undefined });
    expect(command?.pauseMs).toBeGreaterThan(0);
  });
});

describe('a watch that ends', () => {
  test('by the server after its time goes on from the last version at once', () => {
    const { command } = run(
      ...synced,
      [60_000, message('MODIFIED', object('a', '12'))],
      [70_000, message('BOOKMARK', object('', '15'))],
      [120_000, { kind: 'closed', how: 'ended' }],
    );
    expect(command).toEqual({ pauseMs: 0, request: { kind: 'watch', resourceVersion: '15' } });
  });

  test('because the connection died in silence goes on from the last version at once', () => {
    const { command } = run(
      ...synced,
      [30_000, message('DELETED', object('a', '11'))],
      [160_000, { kind: 'closed', how: 'silent' }],
    );
    expect(command).toEqual({ pauseMs: 0, request: { kind: 'watch', resourceVersion: '11' } });
  });

  test('after a long life without a word reads everything anew, since its version may be of another history', () => {
    const { command } = run(
      ...synced,
      [30_000, { kind: 'closed', how: 'broken' }],
      [30_500, { kind: 'opened' }],
      [150_500, { kind: 'closed', how: 'ended' }],
    );
    expect(command?.request).toEqual({ kind: 'stream' });
  });

  test('with 410 reads everything anew: at once the first time, after growing pauses when it goes on', () => {
    const gone: WatchInput = message('ERROR', object('', ''));
    const once = run(...synced, [60_000, gone]);
    expect(once.command).toEqual({ pauseMs: 0, request: { kind: 'stream' } });
    const refusedOnce = run(
      ...synced,
      [60_000, { kind: 'closed', how: 'ended' }],
      [60_001, { kind: 'refused', status: 410 }],
    );
    expect(refusedOnce.command).toEqual({ pauseMs: 0, request: { kind: 'stream' } });
    const again = [
      [60_001, { kind: 'opened' }],
      [60_002, endOfInitial('20')],
      [60_003, gone],
    ] as const;
    expect(run(...synced, [60_000, gone], ...again).command?.pauseMs).toBe(500);
    expect(run(...synced, [60_000, gone], ...again, ...again).command?.pauseMs).toBe(1_000);
  });

  test('after an hour reads everything anew, and not before', () => {
    const events = (closedMs: number) =>
      run(
        ...synced,
        [closedMs - 1_000, message('BOOKMARK', object('', '50'))],
        [closedMs, { kind: 'closed', how: 'ended' }],
      );
    expect(events(HOUR_MS - 1).command?.request.kind).toBe('watch');
    expect(events(HOUR_MS + 21).command?.request.kind).toBe('stream');
  });

  test('by an unreachable server keeps its place and waits longer each time', () => {
    const refused = [70_000, { kind: 'refused', status: undefined }] as const;
    const pauses = [1, 2, 3, 9].map((times) => {
      const { command } = run(...synced, ...Array.from({ length: times }, () => refused));
      expect(command?.request).toEqual({ kind: 'watch', resourceVersion: '9' });
      return command?.pauseMs;
    });
    expect(pauses).toEqual([500, 1_000, 2_000, 30_000]);
  });
});

test('no behaviour of a server makes a storm: in an hour there are at most a few hundred requests', () => {
  const ended: WatchInput = { kind: 'closed', how: 'ended' };
  const refusals = [410, 500, 403, undefined].map((status): WatchInput[] => [{ kind: 'refused', status }]);
  const connection = fc.constantFrom<WatchInput[]>(
    ...refusals,
    [ended],
    [{ kind: 'closed', how: 'broken' }],
    [message('ADDED', object('a', '3')), ended],
    [message('ERROR', object('', ''))],
    [endOfInitial('4'), message('ERROR', object('', ''))],
    [endOfInitial('4'), ended],
  );
  const page = fc.constantFrom<WatchInput[]>(...refusals, [
    { kind: 'page', items: [], resourceVersion: '4', continue: undefined },
  ]);
  // The server repeats its few tricks for ever.
  const tricks = fc.array(fc.record({ connection, page }), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(tricks, fc.constantFrom<WatchInput[]>([], [{ kind: 'refused', status: 400 }]), (tricks, first) => {
      let step: WatchStep = beginWatch();
      let nowMs = 0;
      let requests = 0;
      const feed = (input: WatchInput): void => {
        step = stepWatch(step.state, input, { nowMs, random: 0.9, relistAfterMs: 10 * HOUR_MS });
      };
      first.forEach(feed);
      while (nowMs < HOUR_MS && requests < 5_000) {
        nowMs += (step.command?.pauseMs ?? 0) + 1;
        requests += 1;
        const trick = tricks[requests % tricks.length];
        const paged = step.command?.request.kind === 'page';
        const inputs = (paged ? trick?.page : trick?.connection) ?? [];
        if (!paged && inputs[0]?.kind !== 'refused') feed({ kind: 'opened' });
        inputs.forEach(feed);
      }
      expect(requests).toBeLessThan(700);
    }),
    { numRuns: 300 },
  );
});
