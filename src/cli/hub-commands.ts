import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { parseDurationMs } from '../api/duration.ts';
import type { CommandWorld, HubFlags } from './command-world.ts';
import { EXIT, EXIT_MEANINGS, type ExitCode } from './exit-code.ts';
import { OUTPUT_FORMATS } from './output.ts';

/** Runs a piece of work with the world of this process and remembers its exit code. */
export type Act = (work: (world: CommandWorld) => Promise<ExitCode>) => Promise<void>;

/**
 * The commands that look at a hub or change something there. What each does is loaded when it is asked for, so that help
 * and completion cost nothing.
 */
export function hubCommands(act: Act): readonly Command[] {
  return [
    withOutput(onHub('status', 'Shows where the rotation stands, and every runtime that is not in order first.'))
      .option('-w, --watch', 'show it again after each change', false)
      .option('-A, --all', 'show every runtime of a large fleet', false)
      .action((flags) => act(async (world) => (await import('./status/run-status.ts')).runStatus(flags, world))),
    withOutput(
      onHub(
        'plan',
        'Says what happens next, and what would happen on a rotation now: steps, waves, who holds it up, how long.',
      ),
    )
      .option(
        '--hub-only',
        'do not contact the runtimes; what they wait for is told as the operator last wrote it',
        false,
      )
      .action((flags) => act(async (world) => (await import('./plan/run-plan.ts')).runPlan(flags, world))),
    withOutput(onHub('explain', 'Says in sentences what a runtime holds, how that is proven and what it waits for.'))
      .addArgument(new Argument('<RUNTIME>', 'name of the runtime').argParser(withoutKind))
      .action((runtime: string, flags) =>
        act(async (world) => (await import('./explain/run-explain.ts')).runExplain(runtime, flags, world)),
      ),
    onHub('rotate', 'Asks the issuer of the root for a new one; everything else follows by itself.')
      .option('--wait', 'stay until everything is on the new root', false)
      .addOption(
        new Option('--timeout <duration>', 'with --wait, and not without it: give up after this long')
          .argParser(durationInMs)
          .default(durationInMs('30m'), '30m'),
      )
      .addHelpText('after', exitCodes('done', 'failed', 'notYet'))
      .action((flags, command: Command) => {
        if (!flags.wait && command.getOptionValueSource('timeout') === 'cli') {
          command.error("error: option '--timeout <duration>' bounds a wait: give --wait as well");
        }
        return act(async (world) => (await import('./rotate/run-rotate.ts')).runRotate(flags, world));
      }),
    onHub('pause', 'Stops switches, retirements and re-issues; bundles are delivered all the same.').action(
      (flags: HubFlags) => act(async (world) => (await import('./policy/run-pause.ts')).runPause(true, flags, world)),
    ),
    onHub('resume', 'Goes on after a pause.').action((flags: HubFlags) =>
      act(async (world) => (await import('./policy/run-pause.ts')).runPause(false, flags, world)),
    ),
    onHub('taint', 'Has what a root signed replaced first.')
      .addArgument(rootArgument())
      .option('--reason <text>', 'why; stands in the spec')
      .option('--remove', 'take it back', false)
      .action((root: string, flags) =>
        act(async (world) => (await import('./policy/run-taint.ts')).runTaint(root, flags, world)),
      ),
    onHub('revoke', 'Has a root trusted by nobody any more, after showing who breaks now.')
      .addArgument(rootArgument())
      .option('--reason <text>', 'why; stands in the spec')
      .option('-y, --yes', 'do not ask', false)
      .action((root: string, flags) =>
        act(async (world) => (await import('./policy/run-revoke.ts')).runRevoke(root, flags, world)),
      ),
    withOutput(
      onHub(
        'verify',
        'Reads hub and runtimes from outside and judges, apart from the operator, whether anybody would be refused.',
      ),
    )
      .addArgument(
        new Argument('[RUNTIME...]', 'runtimes to look at (default: all of them)').argParser(
          (text: string, before: readonly string[] | undefined) => [...(before ?? []), withoutKind(text)],
        ),
      )
      .addOption(new Option('--for <duration>', 'watch for this long, instead of looking once').argParser(durationInMs))
      .addHelpText('after', exitCodes('done', 'failed', 'violated', 'unseen'))
      .action((runtimes: string[], flags) =>
        act(async (world) => (await import('./verify/run-verify.ts')).runVerify(runtimes, flags, world)),
      ),
  ];
}

/** A command with the options that say which hub and which trust domain. */
function onHub(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .option('--kubeconfig <file>', 'kubeconfig of the hub (default: $KUBECONFIG, the pod, ~/.kube/config)')
    .option('--context <name>', 'context of the kubeconfig (default: its current one)')
    .option('-n, --namespace <name>', 'namespace of the TrustDomain (default: the context’s, or kcp-system)')
    .option('-d, --domain <name>', 'name of the TrustDomain, where there is more than one');
}

function withOutput(command: Command): Command {
  return command.addOption(
    new Option('-o, --output <format>', 'form of the result').choices([...OUTPUT_FORMATS]).default('table'),
  );
}

function durationInMs(text: string): number {
  const ms = parseDurationMs(text);
  if (ms === null) throw new InvalidArgumentError('Write a duration such as 90s, 10m or 2h.');
  return ms;
}

/** The name of a runtime, also as `-o name` prints it. */
function withoutKind(text: string): string {
  return text.replace(/^runtimetrusts?(\.[^/]*)?\//, '');
}

function rootArgument(): Argument {
  return new Argument('<ROOT>', 'start of the SHA-256 of the root or of its public key, as keyturn status shows it');
}

function exitCodes(...words: readonly (keyof typeof EXIT)[]): string {
  return [
    '',
    'Exit codes:',
    ...words.map((word) => `  ${EXIT[word]}  ${EXIT_MEANINGS[word].replaceAll('`', '')}`),
  ].join('\n');
}
