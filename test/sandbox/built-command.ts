import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** What `npx keyturn` runs. */
export const builtCommand = join(import.meta.dirname, '../../dist/src/cli/main.js');

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface RunWith {
  /** A module that is loaded before the command. */
  readonly preload: string;
  /** Beside what this process has. */
  readonly env: Readonly<Record<string, string>>;
}

/** Runs the built command on pipes, as a script would. */
export function keyturn(...args: readonly string[]): Promise<Ran> {
  return run([builtCommand, ...args], {});
}

export function keyturnWith({ preload, env }: RunWith, ...args: readonly string[]): Promise<Ran> {
  return run(['--import', preload, builtCommand, ...args], env);
}

async function run(args: readonly string[], env: RunWith['env']): Promise<Ran> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out, err };
}
