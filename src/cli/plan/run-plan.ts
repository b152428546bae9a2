import { durationMs } from '../../api/duration.ts';
import { REASONS, type Reason } from '../../api/reasons.ts';
import type { TrustDomain } from '../../api/trust-domain.ts';
import type { Clock } from '../../controller/clock.ts';
import { warmClients } from '../../fleet/warm-clients.ts';
import { type CommandWorld, type HubFlags, withHub } from '../command-world.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { conditionOf } from '../hub/conditions.ts';
import { findDomain } from '../hub/find-domain.ts';
import { lookAtRuntimes, type RuntimeLook } from '../hub/look-at-runtime.ts';
import { type HubObserved, observeHub } from '../hub/observe-hub.ts';
import { type OutputFormat, print } from '../output.ts';
import { progressOf } from '../progress.ts';
import { share } from '../table.ts';
import { issuerRate } from './issuer-rate.ts';
import { nextSteps } from './next-steps.ts';
import { planResult } from './plan-result.ts';
import { rehearseRotation, type Stage } from './rehearse-rotation.ts';

export interface PlanFlags extends HubFlags {
  readonly output: OutputFormat;
  readonly hubOnly: boolean;
}

/** Where nothing was measured: what cert-manager does with its defaults. */
const usualPerSecond = 1;

export function runPlan(flags: PlanFlags, world: CommandWorld): Promise<ExitCode> {
  return withHub(world, flags, async (hub) => {
    const { clock, signal, terminal } = world;
    const call = { signal };
    const found = await findDomain(hub, flags.domain, call);
    const observed = await observeHub(hub.client, found, clock, call);
    const looks = await contacted(observed, flags, world);
    const rate = issuerRate(observed.certificateRequests, observed.certificates);
    const perSecond = rate?.perSecond ?? usualPerSecond;
    const plan = {
      domain: observed.domain,
      next: nextSteps(observed, looks),
      rotation: rehearseRotation(stageOf(observed, looks, perSecond, clock)),
      rate,
      perSecond,
    };
    await print(terminal, planResult(plan), flags.output);
    return EXIT.done;
  });
}

async function contacted(
  observed: HubObserved,
  { hubOnly }: PlanFlags,
  { clock, signal, terminal }: CommandWorld,
): Promise<readonly RuntimeLook[]> {
  const screen = terminal.errorScreen();
  const progress = progressOf(clock);
  const clients = hubOnly ? null : warmClients();
  try {
    return await lookAtRuntimes(
      observed,
      clients,
      clock,
      (done, whole) => screen.table([`Looking at runtimes: ${share(done, whole)}${progress('runtimes', done, whole)}`]),
      signal,
    );
  } finally {
    screen.table([]);
    screen.end();
    await clients?.close();
  }
}

/** The rehearsal begins with what stands now. */
function stageOf(
  { gateway, domain, records }: HubObserved,
  looks: readonly RuntimeLook[],
  issuerPerSecond: number,
  clock: Clock,
): Stage {
  const { spec } = domain;
  const [first] = looks;
  return {
    nowMs: clock.nowMs(),
    secret: typeof gateway.secret === 'object' ? gateway.secret : null,
    candidate: gateway.candidate,
    hosts: gateway.hosts,
    gatewayPolicy: gateway.policy,
    current: gateway.root.state === 'readable' ? gateway.root.root : null,
    runtimes: looks.map(({ name, observed, unreachable }) => ({
      name,
      held: observed.held,
      pair: observed.hub.certificate.pair,
      webhook: observed.cluster.state === 'read' ? observed.cluster.webhook : undefined,
      unreachable: unreachable === null ? null : toldBy(records.get(name)?.status?.conditions, unreachable.reason),
    })),
    runtimePolicy: first?.observed.policy ?? noPolicy,
    waveSize: spec.waves.concurrentIssuances,
    issuerPerSecond,
    gatewayTakesMs: gatewayTakesMs(domain),
  };
}

/** A runtime that nobody asked is taken to be as the operator last found it. */
function toldBy(conditions: Parameters<typeof conditionOf>[0], reason: Reason): Reason | null {
  if (reason !== 'NotLookedAt') return reason;
  const reachable = conditionOf(conditions, 'Reachable');
  if (reachable === undefined || reachable.status === 'True') return null;
  return reachable.reason in REASONS ? (reachable.reason as Reason) : 'RuntimeUnreachable';
}

/** Where the probe got no answer lately, its delay will stand in again. */
function gatewayTakesMs({ spec, status }: TrustDomain): number {
  const doubt = conditionOf(status?.conditions, 'GatewayProven')?.reason;
  const silent = doubt === 'GatewayUnanswered' || doubt === 'NoGatewayEndpoint';
  return durationMs(silent ? spec.probe.delay : spec.probe.interval);
}

/** Of a fleet without runtimes; nobody is decided about. */
const noPolicy: Stage['runtimePolicy'] = {
  skewMarginMs: 0,
  renewBeforeMs: 0,
  propagationDelayMs: 0,
  fenceMs: 0,
  tainted: [],
  revoked: [],
  paused: false,
};
