import { type Entry, historyOf } from '../../checker/history.ts';
import { judge } from '../../checker/judge.ts';
import { warmClients } from '../../fleet/warm-clients.ts';
import { type CommandWorld, type HubFlags, withHub } from '../command-world.ts';
import { CommandFailure, EXIT, type ExitCode } from '../exit-code.ts';
import { findDomain } from '../hub/find-domain.ts';
import { type OutputFormat, print } from '../output.ts';
import { progressOf } from '../progress.ts';
import { approximately, counted, share } from '../table.ts';
import { follow } from './follow.ts';
import { lookOnce } from './look-once.ts';
import { findParties, type Parties } from './parties.ts';
import { exitCodeOf, verdict, verifyResult } from './verify-result.ts';

export interface VerifyFlags extends HubFlags {
  readonly output: OutputFormat;
  /** Milliseconds. */
  readonly for?: number;
}

/** Each runtime that is followed holds two watches open. */
const mostFollowed = 500;

/** Judges S1 to S3 from outside, with the checker that knows nothing of the operator's decisions. */
export function runVerify(wanted: readonly string[], flags: VerifyFlags, world: CommandWorld): Promise<ExitCode> {
  const forMs = flags.for ?? 0;
  return withHub(world, flags, async (hub) => {
    const { signal, terminal } = world;
    const call = { signal };
    const domain = await findDomain(hub, flags.domain, call);
    const clients = warmClients({ most: Number.POSITIVE_INFINITY });
    try {
      const parties = await findParties(hub.client, domain, wanted, clients, call);
      if (forMs > 0 && parties.runtimes.length > mostFollowed) {
        throw new CommandFailure(
          `${parties.runtimes.length} runtimes are too many to watch from here: name up to ${mostFollowed} of them`,
        );
      }
      const entries = await seen(parties, forMs, world);
      const history = historyOf(entries);
      const held = new Set(history.secrets.map(({ runtime }) => runtime));
      const blind = new Set(history.gaps.map(({ cluster }) => cluster));
      const names = parties.runtimes.map(({ name }) => name);
      const verified = {
        domain,
        judgement: judge(history),
        runtimes: names,
        without: names.filter((name) => !held.has(name) && !blind.has(name)),
        forMs,
      };
      await print(terminal, verifyResult(verified), flags.output);
      const code = exitCodeOf(verified);
      // No name stands for what was not seen.
      if (code === EXIT.unseen && flags.output === 'name') terminal.writeError(`${verdict(verified)}\n`);
      return code;
    } finally {
      await clients.close();
    }
  });
}

async function seen(
  parties: Parties,
  forMs: number,
  { terminal, clock, signal }: CommandWorld,
): Promise<readonly Entry[]> {
  const screen = terminal.errorScreen();
  const progress = progressOf(clock);
  const whole = parties.runtimes.length;
  try {
    if (forMs === 0) {
      return await lookOnce(
        parties,
        clock,
        (done) => screen.table([`Looking at runtimes: ${share(done, whole)}${progress('runtimes', done, whole)}`]),
        signal,
      );
    }
    const beganMs = clock.monotonicMs();
    let versions = 0;
    const show = (): void => {
      const leftMs = Math.max(0, forMs - (clock.monotonicMs() - beganMs));
      screen.table([
        `Watching ${counted(whole, 'runtime')}: ${counted(versions, 'version')} seen, ${approximately(leftMs)} left`,
      ]);
    };
    const ticking = new AbortController();
    const ticks = tick(show, AbortSignal.any([signal, ticking.signal]), clock);
    try {
      return await follow(
        parties,
        forMs,
        clock,
        (count) => {
          versions = count;
        },
        signal,
      );
    } finally {
      ticking.abort();
      await ticks;
    }
  } finally {
    screen.table([]);
    screen.end();
  }
}

async function tick(show: () => void, signal: AbortSignal, clock: CommandWorld['clock']): Promise<void> {
  while (!signal.aborted) {
    show();
    await clock.delay(1_000, signal).catch(() => undefined);
  }
}
