import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** The tools on this machine that builds need; a missing one is undefined. */
export interface Tools {
  /** Version line of Go. */
  readonly go?: string;
  /** Command and first arguments that run pip. */
  readonly pip?: readonly string[];
}

/** Looks for the tools of these kinds of recipe only: pip takes seconds to say its version. */
export async function findTools(kinds: ReadonlySet<'go' | 'pip'>): Promise<Tools> {
  const [go, pip] = await Promise.all([
    kinds.has('go') ? answer(['go', 'version']) : undefined,
    kinds.has('pip') ? findPip() : undefined,
  ]);
  return { ...(go === undefined ? {} : { go }), ...(pip === undefined ? {} : { pip }) };
}

async function findPip(): Promise<readonly string[] | undefined> {
  for (const command of [['python3', '-m', 'pip'], ['pip3'], ['pip']]) {
    if ((await answer([...command, '--version'])) !== undefined) return command;
  }
  return undefined;
}

async function answer([command = '', ...args]: readonly string[]): Promise<string | undefined> {
  try {
    return (await execute(command, args, { timeout: 20_000 })).stdout.trim();
  } catch {
    return undefined;
  }
}
