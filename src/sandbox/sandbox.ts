import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DEFAULT_NAMESPACE, TRUST_DOMAIN } from '../api/names.ts';
import type { TrustDomain, TrustDomainSpecWritten } from '../api/trust-domain.ts';
import { type Judgement, judge } from '../checker/judge.ts';
import { type Outcome, outcomeOf } from '../checker/outcome.ts';
import { violationLine } from '../checker/report.ts';
import { type Clock, systemClock } from '../controller/clock.ts';
import type { CallOptions } from '../kubernetes/answer.ts';
import { startRecorder } from '../recorder/recorder.ts';
import { applyTrustDomain, domainName, installHub, registerRuntime } from './install.ts';
import { applyRootCertificate, askForRoot } from './issued-root.ts';
import { type Mount, startMount } from './kubelet/mount.ts';
import { startOperatorProcess } from './operator-process.ts';
import { openOwnFolder } from './own-folder.ts';
import { watchForStandstill } from './standstill.ts';
import { startTraffic, type Traffic } from './traffic/traffic.ts';
import { startEmbeddedWorld } from './world.ts';

export interface SandboxOptions {
  readonly runtimes: number;
  /** Requests a second of each runtime, each with a full handshake; one a second on a kept connection comes on top. */
  readonly ratePerSecond: number;
  /** Of every delay that is drawn. */
  readonly seed: number;
  readonly clock?: Clock;
  readonly signal: AbortSignal;
}

/** What the sandbox shows of itself. */
export interface SandboxView {
  readonly domain: TrustDomain | undefined;
  readonly requests: number;
  readonly failed: number;
  /** Of the last full second, of all runtimes together. */
  readonly perSecond: number;
  readonly unplugged: readonly string[];
}

/** A fleet at work in this process, with live traffic, and the operator beside it. */
export interface Sandbox {
  /** File with the kubeconfig of the hub's admin; removed at the end. */
  readonly kubeconfigPath: string;
  view(): Promise<SandboxView>;
  /** Asks the issuer for another root. @returns false while it is at work on one already */
  rotate(): Promise<boolean>;
  /** @returns whether it is paused now */
  togglePause(): Promise<boolean>;
  /** Takes a runtime's API server off the network, or the one that is off back on. @returns which, and whether it is on now */
  togglePlug(): Promise<{ readonly runtime: string; readonly plugged: boolean }>;
  /** Restarts one endpoint of the gateway, the next one each time. @returns which */
  restartEndpoint(): Promise<string>;
  killOperator(): Promise<void>;
  /** Waits until everything is on the root that stands in the root Secret, other than `before`. @returns its digest */
  untilRotated(before: string | undefined, timeoutMs: number): Promise<string>;
  /**
   * Ends traffic and recording, and judges.
   * @param problems what was not as expected
   * @param endedEarly a person has ended it in the middle of whatever went on
   */
  finish(problems: readonly string[], endedEarly: boolean): Promise<Outcome>;
  /** Ends every part. */
  stop(): Promise<void>;
}

/** Longest delay of a mounted Secret: kubelet's minute would be no fun to watch. */
const mountDelay = { minMs: 0, maxMs: 200 };
const requestGraceMs = 300;
/** An API server in memory asks with a new webhook configuration at once. */
const webhookGraceMs = 300;

/** Delays that fit the sandbox: everything is in one process and nothing is far away. */
const spec: TrustDomainSpecWritten = {
  probe: { delay: '500ms', interval: '50ms' },
  proof: { propagationDelay: '1s', unprovableAfter: '1h' },
  issuer: { privateKey: { algorithm: 'ECDSA', size: 256, encoding: 'PKCS8' } },
  drift: { interval: '30s' },
  skewMargin: '0s',
};

export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { seed, ratePerSecond, clock = systemClock } = options;
  const startedMs = clock.monotonicMs();
  const ending = new AbortController();
  const signal = AbortSignal.any([options.signal, ending.signal]);
  const call: CallOptions = { signal, timeoutMs: 10_000 };
  const names = Array.from({ length: options.runtimes }, (_, index) => `runtime-${String(index + 1).padStart(2, '0')}`);
  const folder = await openOwnFolder();
  const ends: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  const standstill = watchForStandstill(clock);
  ends.push(async () => standstill.stop());
  const stop = async (): Promise<void> => {
    // The last that was started goes first.
    for (const end of ends.splice(0).reverse()) await end();
    ending.abort(new Error('The sandbox has ended'));
  };
  try {
    // Its code is loaded while everything else starts.
    const operator = startOperatorProcess(signal);
    ends.push(() => operator.stop());
    const world = await startEmbeddedWorld({ runtimes: names, slowEndpointMs: 200, seed, clock, signal });
    ends.push(() => world.stop());
    const { gateway } = world;
    const { client, cluster } = world.hub;
    const kubeconfigPath = await writeKubeconfig(folder, 'kubeconfig.yaml', cluster.kubeconfig);
    const operatorKubeconfig = await writeKubeconfig(folder, 'operator.yaml', await installHub(world, call));

    const recorder = await startRecorder({
      hub: client,
      runtimes: Object.fromEntries([...world.runtimes].map(([name, place]) => [name, place.client])),
      endpoints: gateway.endpoints.map(({ name }, index) => ({
        name,
        configDump: (dumpSignal: AbortSignal) => gateway.configDump(index, dumpSignal),
      })),
      settings: { requestGraceMs, webhookGraceMs, gatewayHost: gateway.host },
      clock,
      signal,
    });
    const traffic: Traffic[] = [];
    await Promise.all([
      applyTrustDomain(world, spec, call),
      applyRootCertificate(client, call),
      ...names.map((name) => registerRuntime(world, name, call)),
    ]);
    for (const [index, name] of names.entries()) {
      const runtime = world.runtimes.get(name);
      if (runtime === undefined) continue;
      const mount: Mount = startMount({
        client: runtime.client,
        delay: mountDelay,
        seed: seed * 1_000 + index,
        onSwap: (swap) => recorder.swapped(name, swap),
        clock,
        signal,
      });
      const started = startTraffic({
        runtime: name,
        mounted: () => mount.mounted()?.data,
        endpoints: gateway.endpoints,
        serverName: gateway.host,
        ratePerSecond,
        seed: seed * 1_000 + index,
        clock,
        signal,
        onSecond: () => recorder.counted(name, totalsOf(started)),
      });
      traffic.push(started);
      ends.push(() => mount.stop());
    }
    ends.push(() => Promise.all(traffic.map((one) => one.stop())));
    await operator.begin(operatorKubeconfig);

    const domain = (): Promise<TrustDomain | undefined> =>
      client.find<TrustDomain>(TRUST_DOMAIN, { namespace: DEFAULT_NAMESPACE, name: domainName }, call);
    let unplugged: string | undefined;
    let restarted = 0;
    return {
      kubeconfigPath,
      async view() {
        const seen = traffic.map(totalsOf);
        const sum = (of: (totals: (typeof seen)[number]) => number): number =>
          seen.reduce((total, one) => total + of(one), 0);
        return {
          domain: await domain(),
          requests: sum(({ requests }) => requests),
          failed: sum(({ failed }) => failed),
          perSecond: traffic.reduce((total, one) => total + (one.latest()?.sent ?? 0), 0),
          unplugged: unplugged === undefined ? [] : [unplugged],
        };
      },
      rotate: () => askForRoot(client, clock.nowMs(), call),
      async togglePause() {
        const paused = (await domain())?.spec.paused !== true;
        const ref = { namespace: DEFAULT_NAMESPACE, name: domainName };
        await client.mergePatch(TRUST_DOMAIN, ref, { spec: { paused } }, call);
        return paused;
      },
      async togglePlug() {
        const off = unplugged;
        const runtime = off ?? names[Math.floor(names.length / 2)] ?? '';
        await (off === undefined
          ? world.runtimes.get(runtime)?.cluster.unplug()
          : world.runtimes.get(runtime)?.cluster.plugIn());
        unplugged = off === undefined ? runtime : undefined;
        return { runtime, plugged: off !== undefined };
      },
      async restartEndpoint() {
        const index = restarted++ % gateway.endpoints.length;
        const { name = '' } = gateway.endpoints[index] ?? {};
        recorder.endpointDown(name);
        await gateway.restart(index);
        return name;
      },
      killOperator: () => operator.killAndStartAnew(),
      async untilRotated(before, timeoutMs) {
        const endMs = clock.monotonicMs() + timeoutMs;
        for (;;) {
          const status = (await domain())?.status;
          const digest = status?.root?.digest;
          const ready = status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True');
          if (ready && digest !== undefined && digest !== before) return digest;
          if (clock.monotonicMs() > endMs) {
            throw new Error(
              `Not on one root everywhere within ${timeoutMs / 1_000} s: ${status?.nextStep ?? 'the operator has said nothing'}`,
            );
          }
          await clock.delay(50, signal);
        }
      },
      async finish(problems, endedEarly) {
        // What is off the network cannot be compared with what was recorded of it.
        if (unplugged !== undefined) await world.runtimes.get(unplugged)?.cluster.plugIn();
        unplugged = undefined;
        await Promise.all(traffic.map((one) => one.stop()));
        for (const one of traffic) recorder.counted(one.runtime, totalsOf(one));
        const failed = [
          ...(operator.hasFailed() ? [`The operator ended by itself: ${operator.log().at(-1) ?? ''}`] : []),
          ...world.problems(),
          ...traffic.filter((one) => one.hasFailed()).map(({ runtime }) => `The traffic of ${runtime} ended by itself`),
        ];
        await operator.stop();
        const judgement: Judgement = judge(await recorder.stop());
        const told = [...problems, ...failed, ...failuresOf(traffic), ...violationsOf(judgement)];
        return outcomeOf({
          scenario: 'sandbox',
          judgement,
          seconds: (clock.monotonicMs() - startedMs) / 1_000,
          problems: told.length === 0 ? told : [...told, ...stoodStill(standstill.longestMs())],
          details: { rotations: judgement.rotations.map(({ kind: _kind, ...steps }) => steps) },
          fewestPerSecond: 0.5,
          endedEarly,
        });
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

const mostToldOf = 5;

/** The stand-ins keep to the delays of the policy only on a machine that lets them run. */
function stoodStill(ms: number): readonly string[] {
  const allowedMs = requestGraceMs;
  return ms <= allowedMs
    ? []
    : [
        `This process stood still for ${(ms / 1_000).toFixed(1)} s, longer than its delays allow for: what did not hold may be the machine's. Run it again with fewer runtimes, or when less else runs`,
      ];
}

function failuresOf(traffic: readonly Traffic[]): readonly string[] {
  const failures = traffic.flatMap((one) => one.failures().map((failure) => ({ runtime: one.runtime, ...failure })));
  const lines = failures
    .sort((a, b) => a.startedAt.localeCompare(b.startedAt))
    .map(
      ({ runtime, startedAt, errors }) => `A request of ${runtime}, begun ${startedAt}, failed: ${errors.join(' | ')}`,
    );
  return firstOf(lines, 'failed requests');
}

function violationsOf({ violations }: Judgement): readonly string[] {
  return firstOf(violations.map(violationLine), 'violations');
}

function firstOf(lines: readonly string[], what: string): readonly string[] {
  const more = lines.length - mostToldOf;
  return more <= 0 ? lines : [...lines.slice(0, mostToldOf), `and ${more} more ${what}`];
}

function totalsOf(traffic: Traffic): { readonly requests: number; readonly failed: number } {
  const { sent, failed } = traffic.counts();
  return { requests: sent, failed };
}

/** Only its owner may read it: a token lies in it (S4). */
async function writeKubeconfig(folder: string, file: string, text: string): Promise<string> {
  const path = join(folder, file);
  await writeFile(path, text, { mode: 0o600 });
  return path;
}
