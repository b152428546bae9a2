import { Command, InvalidArgumentError, Option } from 'commander';
import type { Act } from '../hub-commands.ts';
import type { SandboxFlags } from './sandbox-flags.ts';

/** The sandbox is loaded when it is wanted, so that other commands start without it. */
export function sandboxCommand(act: Act): Command {
  return new Command('sandbox')
    .description(
      'Runs a hub, runtimes, a gateway and live traffic in this process, on Node alone, and rotates the root.',
    )
    .addOption(new Option('--runtimes <number>', 'runtimes of the fleet').argParser(whole(1, 200)).default(20))
    .addOption(new Option('--rotations <number>', 'rotations to begin with').argParser(whole(0, 1_000)).default(3))
    .addOption(
      new Option('--rate <number>', 'requests a second of each runtime, each with a handshake of its own')
        .argParser(whole(1, 50))
        .default(1),
    )
    .addOption(new Option('--seed <number>', 'of every delay that is drawn').argParser(whole(1, 1_000_000)).default(1))
    .option('--exit', 'end after the rotations; the exit code is 0 only if nothing failed', false)
    .addOption(
      new Option('-o, --output <format>', 'of the summary at the end').choices(['table', 'json']).default('table'),
    )
    .action((flags: SandboxFlags) => act(async (world) => (await import('./run-sandbox.ts')).runSandbox(flags, world)));
}

function whole(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (!Number.isInteger(number) || number < least || number > most)
      throw new InvalidArgumentError(`Write a whole number from ${least} to ${most}.`);
    return number;
  };
}
