import type { RuntimeTrust } from '../../src/api/runtime-trust.ts';
import { fleetOf, type RuntimeStanding } from '../../src/rotation/decide/fleet.ts';
import { decideGateway, type GatewayObserved } from '../../src/rotation/decide/gateway.ts';
import { decideRuntime } from '../../src/rotation/decide/runtime.ts';
import { observedFleet } from '../../src/rotation/gateway/gateway-fleet.ts';
import { type Runs, runsOf, shortRuns, type Took, took } from '../measure.ts';
import { asRead, type FleetInRotation, fleetInRotation, gatewayAtRest, withOneChanged } from './fleet-in-rotation.ts';

export interface DecideBench {
  readonly runtimes: number;
  /** The gateway's decision and one for every runtime, before anything is compiled. */
  readonly allFirst: Took;
  /** The same later. */
  readonly all: Runs;
  readonly afterEvent: {
    /** One runtime's decision after an event of it. */
    readonly runtime: Runs;
    /** The gateway's after the record of one runtime has changed, in the middle of a rotation. */
    readonly gatewayInRotation: Runs;
    /** The same when no rotation is under way. */
    readonly gatewayAtRest: Runs;
    /** The same with nobody proven and a tenth of the fleet given up after the policy's time. */
    readonly gatewayGivenUp: Runs;
  };
  /** What comes before each decision of the gateway: the fleet as a value, from the records as watched. */
  readonly observeFleet: Runs;
  /** Runtimes by what was decided for them: shows that the fleet is not all in one easy state. */
  readonly decided: Readonly<Record<string, number>>;
  /** Runtimes that the switch waits for. */
  readonly awaited: number;
}

export interface DecideBenchOptions {
  readonly runtimes?: number;
  /** Times that everything is decided. @default 11 */
  readonly rounds?: number;
  /** Single decisions of the gateway. @default 150 */
  readonly events?: number;
}

/** Decisions on parsed values: nothing is read and nothing parsed here. */
export function benchDecide({ runtimes = 10_000, rounds = 11, events = 150 }: DecideBenchOptions = {}): DecideBench {
  const { gateway, standings, runtimes: observed } = fleetInRotation(runtimes);
  const decideAll = (): void => {
    decideGateway(gateway);
    for (const one of observed) decideRuntime(one);
  };
  const allFirst = took(decideAll);
  const all = Array.from({ length: rounds }, () => took(decideAll));
  return {
    runtimes,
    allFirst,
    all: runsOf(all),
    afterEvent: {
      runtime: shortRuns(events * 100, 11, (run) => {
        const one = observed[(run * 7_919) % observed.length];
        if (one !== undefined) decideRuntime(one);
      }),
      gatewayInRotation: gatewayEvents({ gateway, standings }, events),
      gatewayAtRest: gatewayEvents(gatewayAtRest(runtimes), events),
      gatewayGivenUp: gatewayEvents({ gateway, standings: givenUp(gateway, standings) }, events / 5),
    },
    observeFleet: fleetObservations(standings, events / 10),
    decided: countBy(observed.map((one) => decideRuntime(one).action?.do ?? 'nothing')),
    awaited: decideGateway(gateway).switch?.waitsFor.length ?? 0,
  };
}

type GatewaySide = Pick<FleetInRotation, 'gateway' | 'standings'>;

/** The changed fleets are made beforehand: to put one together is observing, not deciding. */
function gatewayEvents({ gateway, standings }: GatewaySide, events: number): Runs {
  const changed = Array.from({ length: 10 }, (_, event) => {
    const next = withOneChanged(standings, (event * 7_919) % standings.length);
    return { ...gateway, fleet: fleetOf(gateway.fleet.live, next) };
  });
  return shortRuns(events, 5, (run) => {
    const seen = changed[run % changed.length];
    if (seen !== undefined) decideGateway(seen);
  });
}

function fleetObservations(standings: readonly RuntimeStanding[], events: number): Runs {
  const records = new Map<string, RuntimeTrust>();
  for (const { name, held } of standings) {
    const metadata = { namespace: 'kcp-system', name };
    const spec = { trustDomainRef: { name: 'klm-watcher' } };
    records.set(name, asRead<RuntimeTrust>({ metadata, spec, ...(held === null ? {} : { status: { held } }) }));
  }
  return shortRuns(events, 5, () => void observedFleet(records.keys(), records, () => 0, false));
}

function givenUp({ policy }: GatewayObserved, standings: readonly RuntimeStanding[]): readonly RuntimeStanding[] {
  return standings.map((standing, index) => ({
    ...standing,
    held: { beyond: 'lost', values: standing.held?.values ?? [] },
    unprovenForMs: index % 10 === 0 ? policy.unprovableAfterMs : 60_000,
  }));
}

function countBy(words: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}
