/**
 * One runtime, its cluster and the operator's process, in time. The decisions are the production ones; around them is what
 * the shell does and whatever may go wrong with it. What the watcher really uses is followed apart.
 *
 * The promises that a delay stands for are kept here to the last millisecond: a watcher uses a value at the latest one
 * propagation delay after it was written, and a request arrives, if ever, before its fence is over.
 *
 * @module
 */
import { confirm, type StandingSecret } from '../../src/rotation/decide/holdings.ts';
import { asHeld, type HubPair } from '../../src/rotation/decide/may-deliver-pair.ts';
import { decideRuntime, type RuntimeAction, type RuntimePlan } from '../../src/rotation/decide/runtime.ts';
import { type HeldClient, type Holdings, LOST, type Root } from '../../src/rotation/decide/values.ts';
import {
  certificate,
  client,
  fenceMs,
  frozen,
  gatewaySecret,
  hubPair,
  propagationDelayMs,
  root,
  runtimeObserved,
  serverLeaf,
  trusted,
} from './build.ts';

/** Something that happens. Durations in milliseconds. */
export type Happening =
  | { readonly does: 'time passes'; readonly ms: number }
  /** The operator looks, decides and acts once; this becomes of a write to the cluster. */
  | { readonly does: 'a look'; readonly write: 'answered' | 'answer lost' | 'under way' | 'lost' }
  | { readonly does: 'a write arrives' }
  | { readonly does: 'a root enters' }
  | { readonly does: 'the oldest root leaves' }
  | { readonly does: 'a pair is issued'; readonly ofOlderRoot: boolean }
  | { readonly does: 'the watcher mounts' }
  | { readonly does: 'somebody writes'; readonly what: 'his own' | 'an old copy' | 'labels' }
  | { readonly does: 'the Secret is deleted' }
  | { readonly does: 'the operator starts again' }
  | { readonly does: 'the record is lost' };

/** A value of the runtime's Secret, once written. */
interface Written extends StandingSecret {
  readonly gone: boolean;
  readonly atMs: number;
  readonly ours: boolean;
  /** The operator has seen it in place, or had the answer. Of what somebody else writes it can know no sooner. */
  noticed: boolean;
}

interface UnderWay {
  readonly action: Extract<RuntimeAction, { readonly do: 'writeSecret' }>;
  readonly client: HeldClient | null;
  readonly untilMs: number;
}

export interface Life {
  step(happening: Happening): void;
  /** Has a pair of the current root issued, and lets everything come to rest without further faults. */
  settle(): RuntimePlan;
  /** What is wrong now; `null`: the record covers what the watcher uses. */
  fault(): string | null;
  record(): Holdings | null;
}

const nothing: Omit<Written, 'atMs' | 'resourceVersion'> = {
  gone: true,
  serial: '',
  bundle: [],
  client: null,
  ours: true,
  noticed: true,
};

export function startLife(): Life {
  let nowMs = 0;
  let count = 0;
  let bundle: readonly Root[] = [root('r0')];
  let pair: HubPair = hubPair('p0', 'r0');
  const log: Written[] = [{ ...nothing, resourceVersion: '', atMs: Number.NEGATIVE_INFINITY }];
  /** What the watcher uses. */
  let mounted = 0;
  let record: Holdings | null = null;
  let underWay: UnderWay[] = [];
  let seen: Record<string, number> = {};
  let registered: Record<string, number> = {};

  const next = (): number => {
    count += 1;
    return count;
  };
  const last = (): Written => log[log.length - 1] as Written;
  const using = (): Written => log[mounted] as Written;
  const put = (value: Omit<Written, 'atMs' | 'resourceVersion'>): void => {
    log.push({ ...value, resourceVersion: value.gone ? '' : `v${next()}`, atMs: nowMs });
  };

  function standingNow(): StandingSecret | null {
    const { gone, serial, resourceVersion, bundle: roots, client: held } = last();
    return gone ? null : { serial, resourceVersion, bundle: roots, client: held };
  }

  /** The API server's part: the write is refused unless the version it was based on stands. */
  function arrive({ action, client: held }: UnderWay): boolean {
    if (last().resourceVersion !== action.baseVersion) return false;
    put({ gone: false, serial: action.serial, bundle: action.bundle, client: held, ours: true, noticed: false });
    return true;
  }

  function look(write: Extract<Happening, { does: 'a look' }>['write']): RuntimePlan {
    const standing = standingNow();
    last().noticed = true;
    const serial = standing === null ? 'absent' : standing.serial;
    if (standing !== null) delete seen['absent'];
    seen[serial] ??= nowMs;
    const open = record?.values.filter(({ state }) => state === 'intended') ?? [];
    registered = Object.fromEntries(open.map((value) => [value.serial, registered[value.serial] ?? nowMs]));
    const [current] = bundle;
    const plan = decideRuntime(
      runtimeObserved({
        monotonicMs: nowMs,
        cluster: { state: 'read', secret: standing, webhook: null },
        hub: {
          gateway: gatewaySecret(bundle, serverLeaf('l', current?.keyId ?? '')),
          trusted: trusted(...bundle),
          current: current as Root,
          certificate: certificate(pair),
        },
        held: frozen(record),
        seen: frozen({ ...seen }),
        registered: frozen({ ...registered }),
        nextSerial: `s${next()}`,
      }),
    );
    const { action } = plan;
    if (action?.do === 'register') record = { beyond: 'unseen', values: [] };
    if (action?.do === 'record') record = action.held;
    if (action?.do === 'writeSecret') {
      const held = action.pair === 'hub' ? asHeld(pair) : (standing?.client ?? null);
      const request = { action, client: held, untilMs: (registered[action.serial] ?? nowMs) + fenceMs };
      if (write === 'under way') underWay.push(request);
      if (write === 'answer lost') arrive(request);
      if (write === 'answered' && arrive(request)) {
        delete seen['absent'];
        last().noticed = true;
        seen[action.serial] ??= nowMs;
        record = confirm(record as Holdings, action.serial, last().resourceVersion);
      }
    }
    return plan;
  }

  function step(happening: Happening): void {
    switch (happening.does) {
      case 'time passes':
        pass(happening.ms);
        return;
      case 'a look':
        look(happening.write);
        return;
      case 'a write arrives': {
        const [first, ...rest] = underWay;
        underWay = rest;
        if (first !== undefined) arrive(first);
        return;
      }
      case 'a root enters':
        bundle = [root(`r${next()}`), ...bundle];
        return;
      case 'the oldest root leaves':
        bundle = bundle.length > 1 ? bundle.slice(0, -1) : bundle;
        return;
      case 'a pair is issued':
        pair = hubPair(`p${next()}`, bundle.at(happening.ofOlderRoot ? -1 : 0)?.keyId ?? null);
        return;
      case 'the watcher mounts':
        mounted = Math.min(mounted + 1, log.length - 1);
        return;
      case 'somebody writes':
        foreign(happening.what);
        return;
      case 'the Secret is deleted':
        if (!last().gone && last().noticed) put({ ...nothing, ours: false, noticed: false });
        return;
      case 'the operator starts again':
        seen = {};
        registered = {};
        return;
      case 'the record is lost':
        record = record === null ? null : LOST;
    }
  }

  function pass(ms: number): void {
    nowMs += ms;
    underWay = underWay.filter(({ untilMs }) => untilMs > nowMs);
    const due = log.findLastIndex(({ atMs }) => atMs + propagationDelayMs <= nowMs);
    mounted = Math.max(mounted, due);
  }

  function foreign(what: 'his own' | 'an old copy' | 'labels'): void {
    if (last().gone) return;
    if (what === 'labels') {
      put({ ...last() });
      return;
    }
    const old = log.find(({ gone }) => !gone) as Written;
    const own = { serial: '', bundle: ['foreign'], client: client(`f${next()}`, null) };
    put({ ...(what === 'his own' ? own : old), gone: false, ours: false, noticed: false });
  }

  return {
    step,
    settle() {
      step({ does: 'a pair is issued', ofOlderRoot: false });
      let plan = look('answered');
      for (let looks = 0; looks < 40; looks += 1) {
        if (plan.action === null) {
          if (plan.wakeAfterMs === null) return plan;
          pass(plan.wakeAfterMs);
        }
        plan = look('answered');
      }
      return plan;
    },
    fault() {
      const { gone, bundle: roots, client: held, ours, noticed } = using();
      if (gone || !(ours || noticed) || record === null || record.beyond !== 'nothing') return null;
      const covered = record.values.some(
        (value) => value.bundle.join() === roots.join() && value.client?.digest === held?.digest,
      );
      return covered
        ? null
        : `the watcher uses ${roots.join('+')} with ${held?.digest}, the record holds ${told(record)}`;
    },
    record: () => record,
  };
}

function told({ values }: Holdings): string {
  return values.map(({ serial, bundle, client: held }) => `${serial}(${bundle.join('+')} ${held?.digest})`).join(' ');
}
