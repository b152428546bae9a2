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

export async function findTools(): Promise<Tools> {
  const [go, pip] = await Promise.all([answer(['go', 'version']), findPip()]);
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
