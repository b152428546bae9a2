import { Command, CommanderError } from 'commander';
import { packageVersion } from '../telemetry/version.ts';
import { crdsCommand } from './crds-command.ts';
import { CommandFailure, EXIT } from './exit-code.ts';
import { operatorCommand, type RunOperator } from './operator-command.ts';

export interface ProgramParts {
  readonly loadOperator: () => Promise<RunOperator>;
  readonly write: (text: string) => void;
  readonly writeError: (text: string) => void;
}

/**
 * Runs the command line.
 *
 * @param args without the names of node and of the script
 * @returns the exit code
 */
export async function runProgram(args: readonly string[], parts: ProgramParts): Promise<number> {
  const { loadOperator, write, writeError } = parts;
  const program = new Command('keyturn')
    .description('Changes the root certificate under a fleet of Kubernetes clusters without one failed request.')
    .version(packageVersion())
    .showHelpAfterError('(try keyturn --help)');
  for (const command of [operatorCommand(loadOperator), crdsCommand(write)]) {
    program.addCommand(command.copyInheritedSettings(program));
  }
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({ writeOut: write, writeErr: writeError });
  }
  try {
    await program.parseAsync([...args], { from: 'user' });
    return EXIT.done;
  } catch (error) {
    // Commander has written its message already; help and version end the same way, with code 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    const told = error instanceof CommandFailure ? error.message : detailed(error);
    writeError(`keyturn: ${told}\n`);
    return EXIT.failed;
  }
}

function detailed(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${detailed(error.cause)}` : error.message;
}
