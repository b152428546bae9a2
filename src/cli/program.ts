import { Command, CommanderError } from 'commander';
import { type Clock, systemClock } from '../controller/clock.ts';
import { packageVersion } from '../telemetry/version.ts';
import type { CommandWorld, Hub, HubFlags } from './command-world.ts';
import { completionCommand } from './completion-command.ts';
import { crdsCommand } from './crds-command.ts';
import { CommandFailure, EXIT, type ExitCode } from './exit-code.ts';
import { type Act, hubCommands } from './hub-commands.ts';
import { operatorCommand, type RunOperator } from './operator-command.ts';
import { sandboxCommand } from './sandbox/sandbox-command.ts';
import { untilStopped } from './stop-signal.ts';
import { type Terminal, textTerminal } from './terminal.ts';

export interface ProgramParts {
  readonly loadOperator: () => Promise<RunOperator>;
  readonly write: (text: string) => void;
  readonly writeError: (text: string) => void;
  /** @default one without a person, on the two writers */
  readonly terminal?: Terminal;
  /** @default by the kubeconfig that the command line names */
  readonly openHub?: (flags: HubFlags) => Promise<Hub>;
  readonly clock?: Clock;
  /** Stops the command, beside SIGINT and SIGTERM. */
  readonly signal?: AbortSignal;
  /** As it was called: `keyturn`, or `kubectl-keyturn` where kubectl found it as a plugin. @default keyturn */
  readonly calledAs?: string;
}

/** The word by which a shell or kubectl asks for completions; everything after it is a command line in the making. */
export const COMPLETE = '__complete';
/** Whoever presses the tabulator does not wait longer for a hub. */
const completionMs = 2_000;
/** As a shell reports a process that SIGINT ended. */
const INTERRUPTED = 130;
/** A command has nothing to put in order that takes longer. */
const graceMs = 3_000;

/**
 * Runs the command line.
 *
 * @param args without the names of node and of the script
 * @returns the exit code
 */
export async function runProgram(args: readonly string[], parts: ProgramParts): Promise<number> {
  const { write, writeError } = parts;
  const end: { code: number } = { code: EXIT.done };
  const act: Act = async (work) => {
    end.code = await untilStopped(
      (stop) => {
        const signal = parts.signal === undefined ? stop : AbortSignal.any([stop, parts.signal]);
        return stopped(signal, work(worldOf(parts, signal)));
      },
      { graceMs },
    );
  };
  const program = programOf(parts, act);
  if (args[0] === COMPLETE) return complete(args.slice(1), program, parts);
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({ writeOut: write, writeErr: writeError });
  }
  try {
    await program.parseAsync([...args], { from: 'user' });
    return end.code;
  } catch (error) {
    // Commander has written its message already; help and version end the same way, with code 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    const told = error instanceof CommandFailure ? error.message : detailed(error);
    const { adviceFor } = await import('./advice.ts');
    const advice = adviceFor(error);
    writeError(`keyturn: ${told}${advice === null ? '' : `: ${advice}`}\n`);
    return EXIT.failed;
  }
}

async function complete(line: readonly string[], program: Command, parts: ProgramParts): Promise<ExitCode> {
  const { answerCompletion } = await import('./completion/answer-completion.ts');
  const { commandTable } = await import('./completion/command-table.ts');
  const askHub = async (hubOptions: readonly string[]): Promise<string> => {
    let names = '';
    const write = (text: string): void => {
      names += text;
    };
    const quiet = { write, writeError: () => undefined, terminal: textTerminal(write, () => undefined) };
    await runProgram(['status', '-o', 'name', ...hubOptions], {
      ...parts,
      ...quiet,
      signal: AbortSignal.timeout(completionMs),
    });
    return names;
  };
  parts.write(await answerCompletion(line, commandTable(program), askHub));
  return EXIT.done;
}

/** Every command, for running, for help, for completion and for the reference. */
export function programOf(parts: ProgramParts, act: Act): Command {
  const name = parts.calledAs === 'kubectl-keyturn' ? 'kubectl keyturn' : 'keyturn';
  const program = new Command(name)
    .description('Changes the root certificate under a fleet of Kubernetes clusters without one failed request.')
    .version(packageVersion())
    .showHelpAfterError(`(try ${name} --help)`);
  const commands = [
    ...hubCommands(act),
    sandboxCommand(act),
    operatorCommand(parts.loadOperator),
    crdsCommand(parts.write),
    completionCommand(program, parts.write),
  ];
  for (const command of commands) program.addCommand(command.copyInheritedSettings(program));
  return program;
}

function worldOf(parts: ProgramParts, signal: AbortSignal): CommandWorld {
  const { write, writeError, clock = systemClock } = parts;
  return {
    terminal: parts.terminal ?? textTerminal(write, writeError),
    clock,
    openHub: parts.openHub ?? (async (flags) => (await import('./open-hub.ts')).openHub(flags)),
    signal,
  };
}

/** A command that was stopped has failed at nothing: it says no more, and ends as a shell expects. */
async function stopped(signal: AbortSignal, work: Promise<ExitCode>): Promise<number> {
  try {
    return await work;
  } catch (error) {
    if (signal.aborted) return INTERRUPTED;
    throw error;
  }
}

function detailed(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${detailed(error.cause)}` : error.message;
}
