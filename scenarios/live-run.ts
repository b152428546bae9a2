import { readFile } from 'node:fs/promises';
import { RUNTIME_TRUST, TRUST_DOMAIN } from '../src/api/names.ts';
import type { History } from '../src/checker/history.ts';
import { type Judgement, judge } from '../src/checker/judge.ts';
import { createKubeClient, type KubeClient } from '../src/kubernetes/client.ts';
import { EVENT } from '../src/kubernetes/resource.ts';
import { type Recorder, startRecorder } from '../src/recorder/recorder.ts';
import type { Cluster, WatcherStandIn, World } from '../world/world.ts';
import { type Awaited, awaitedEnd } from './awaited.ts';
import { addKubeconfig, addKyma, applyTrustDomain, applyWebhook, emptyHub, prepareHub } from './hub-objects.ts';
import { type OperatorUnderTest, startOperator } from './operator-process.ts';
import { type KeyKind, type Pace, type Policy, trustDomainSpec } from './policy.ts';
import type { Say } from './say.ts';
import { readStanding, type Standing } from './standing.ts';
import { until } from './until.ts';

export interface LiveRunOptions {
  readonly world: World;
  readonly pace: Pace;
  /** Names of the runtimes that belong to the fleet from the start; others may join. */
  readonly runtimes: readonly string[];
  readonly seed: number;
  /** Of client certificates. @default P-256 */
  readonly keys?: KeyKind;
  /** Requests a second of each client, beside the one on the kept connection. @default 10 */
  readonly ratePerSecond?: number;
  /** The operator holds a Lease of 2 s. @default false */
  readonly elected?: boolean;
  /** Writes what is there before the operator starts; recorded as everything is. */
  readonly beforeOperator?: () => Promise<void>;
  readonly say: Say;
  readonly signal: AbortSignal;
}

/** The product at work on a world, observed: operator, recorder, and a watcher stand-in with its traffic per runtime. */
export interface LiveRun {
  readonly world: World;
  readonly recorder: Recorder;
  readonly policy: Policy;
  readonly signal: AbortSignal;
  readonly say: Say;
  readonly watchers: ReadonlyMap<string, WatcherStandIn>;
  /** Client of the recorder's for the hub. */
  readonly hub: KubeClient;
  /** `finish` ends it. */
  readonly operator: OperatorUnderTest;
  /** Records a runtime and starts its kubelet and client; it does not belong to the fleet yet. */
  attend(name: string): Promise<void>;
  /** Lets an attended runtime join the fleet, by one write. */
  join(name: string): Promise<void>;
  /** Of the members of the fleet. */
  standing(): Promise<Standing>;
  /** Waits for something about what stands. */
  untilStanding(what: string, awaited: (standing: Standing) => Awaited, timeoutMs?: number): Promise<void>;
  /** Waits until everything is on the current root and unused roots are retired. */
  settle(): Promise<void>;
  /** Ends traffic, recording and operator, in this order. Whatever failed by itself is in `problems`. */
  finish(): Promise<{ readonly history: History; readonly judgement: Judgement; readonly problems: readonly string[] }>;
}

const settleTimeoutMs = 180_000;

/** Starts a run on an empty hub. After `finish`, or an error here, no process of it is left. */
export async function startLiveRun(options: LiveRunOptions): Promise<LiveRun> {
  const { world, pace, seed, say, signal } = options;
  const { gateway, workspace } = world;
  const { policy, requestGraceMs, mountDelay } = pace;
  const watchers = new Map<string, WatcherStandIn>();
  const members = new Set<string>();
  const clients: KubeClient[] = [];
  const connect = (server: Cluster): KubeClient => {
    const client = clientOf(server);
    clients.push(client);
    return client;
  };
  let recorder: Recorder | undefined;
  let operator: OperatorUnderTest | undefined;
  let failuresTold = 0;
  let seeds = 0;

  const stopWatchers = () => Promise.all([...watchers.values()].map((watcher) => watcher.stop()));
  const abandon = async () => {
    await Promise.allSettled([stopWatchers(), operator?.stop(), recorder?.stop()]);
    await Promise.allSettled(clients.map((client) => client.close()));
  };

  try {
    await prepareHub(world.hub, signal);
    const hub = connect(world.hub);
    const started = await startRecorder({
      hub,
      endpoints: gateway.endpoints.map(({ name }, index) => ({
        name,
        configDump: (dumpSignal: AbortSignal) => gateway.configDump(index, dumpSignal),
      })),
      file: workspace.logFile('history'),
      settings: { requestGraceMs, gatewayHost: gateway.host },
      texts: [EVENT, TRUST_DOMAIN, RUNTIME_TRUST],
      signal,
    });
    recorder = started;

    const attend: LiveRun['attend'] = async (name) => {
      await started.addRuntime(name, connect(world.runtime(name)));
      await applyWebhook(world.runtime(name), signal);
      let sent = 0;
      let failed = 0;
      const watcher = await world.startWatcher(name, {
        seed: seed * 100 + seeds++,
        delay: mountDelay,
        ...(options.ratePerSecond === undefined ? {} : { ratePerSecond: options.ratePerSecond }),
        onSwap: (swap) => started.swapped(name, swap),
        onSecond: (second) => {
          sent += second.sent;
          failed += second.failed;
          // Counting begins with the client's first credential.
          if (second.clientSerial !== undefined) started.counted(name, { requests: sent, failed });
        },
        onFailure: ({ startedAt, kind, errors }) => {
          failuresTold += 1;
          if (failuresTold <= 10)
            say(`A request of ${name} failed (${kind}, begun ${startedAt}): ${errors.join(' | ')}`);
        },
        signal,
      });
      watchers.set(name, watcher);
      await addKubeconfig(world.hub, world.runtime(name), signal);
    };
    await Promise.all(options.runtimes.map(attend));
    const enter = async (name: string) => {
      members.add(name);
      await addKyma(world.hub, name, signal);
    };
    for (const name of options.runtimes) await enter(name);
    await applyTrustDomain(world.hub, trustDomainSpec(policy, gateway.endpoints, options.keys ?? 'P-256'), signal);
    await options.beforeOperator?.();
    operator = await startOperator(world, signal, { elected: options.elected ?? false });
    const running = operator;
    say(`Operator and traffic of ${options.runtimes.length} runtimes are started`);

    const standing = () => {
      const joined = [...watchers].filter(([name]) => members.has(name));
      return readStanding(world, new Map(joined.map(([name, { kubelet }]) => [name, kubelet])), signal);
    };
    const untilStanding: LiveRun['untilStanding'] = (what, awaited, timeoutMs = 120_000) =>
      until(what, async () => awaited(await standing()), { timeoutMs, signal });

    return {
      world,
      recorder: started,
      policy,
      signal,
      say,
      watchers,
      hub,
      operator: running,
      attend,
      join: async (name) => {
        started.mark({ kind: 'join', runtime: name });
        await enter(name);
      },
      standing,
      untilStanding,
      settle: () => untilStanding('everything on the current root, unused roots retired', awaitedEnd, settleTimeoutMs),
      async finish() {
        try {
          const problems = [...watchers]
            .filter(([, { traffic }]) => traffic.hasFailed())
            .map(([name]) => `The traffic client of ${name} ended by itself`);
          // Traffic first, while all is well: what happens to parties that are being stopped says nothing.
          const counts = await Promise.all(
            [...watchers].map(async ([name, watcher]) => [name, await watcher.traffic.stop()] as const),
          );
          for (const [name, { sent, failed }] of counts) started.counted(name, { requests: sent, failed });
          if (running.hasFailed()) problems.push(`The operator ended by itself, see ${running.logFile}`);
          await running.stop();
          started.searched('hub', 'log of the operator', await readFile(running.logFile, 'utf8'));
          const history = await started.stop();
          problems.push(...world.failures().map((name) => `${name} ended by itself`));
          await stopWatchers();
          await Promise.all(clients.map((client) => client.close()));
          return { history, judgement: judge(history), problems };
        } catch (error) {
          await abandon();
          throw error;
        }
      },
    };
  } catch (error) {
    await abandon();
    throw error;
  }
}

/** Makes a world that was used as good as new: an empty hub, and Envoys that hold nothing. */
export async function makeEmpty(world: World, signal: AbortSignal): Promise<void> {
  await emptyHub(world.hub, world.runtimes(), signal);
  // istiod takes nothing back from an Envoy when a Secret goes.
  await Promise.all(world.gateway.endpoints.map((_, index) => world.gateway.restartEndpoint(index)));
}

function clientOf({ server, caPem, adminToken }: Cluster): KubeClient {
  const token = { text: adminToken };
  return createKubeClient({ server, certificateAuthority: { text: caPem }, insecureSkipTlsVerify: false, token });
}
