import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { projectRoot } from './project-root.ts';
import { waitUntil } from './wait.ts';

const guardianScript = join(projectRoot, 'world/guardian.sh');

export interface ProcessOptions {
  /** Name in errors, such as `etcd` or `kube-apiserver hub`. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Added to this process's own environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** File that standard output (unless `onStdoutLine` is given) and standard error are appended to. */
  readonly logFile: string;
  /** Takes standard output line by line instead of the log. */
  readonly onStdoutLine?: (line: string) => void;
  /** Resolves to true once the child serves; asked every 50 ms. Without it a child counts as ready when it has started. */
  readonly ready?: (signal: AbortSignal) => Promise<boolean>;
  /** Default 60,000. */
  readonly readyTimeoutMs?: number;
  /** Time between the polite signal and SIGKILL, default 5 s. */
  readonly graceSeconds?: number;
  /** Default TERM. */
  readonly politeSignal?: 'TERM' | 'INT';
  /** Ends the child when aborted, also after it got ready. */
  readonly signal?: AbortSignal;
}

export interface RunningProcess {
  readonly name: string;
  /** The child's own pid (not the guardian's), to send it SIGSTOP, SIGCONT or SIGKILL. */
  readonly pid: number;
  readonly logFile: string;
  /** Resolves to the exit code when the child has ended for whatever reason (128 + signal number if by a signal). */
  readonly exited: Promise<number>;
  /** True once it has ended without having been asked to by `stop()`, an abort or `kill()`. */
  hasFailed(): boolean;
  /** Sends a signal to the child itself; does nothing after its end. */
  kill(signal: NodeJS.Signals): void;
  /** Polite signal, then SIGKILL after the grace; resolves when the child is gone. Safe to call twice. */
  stop(): Promise<void>;
}

/** Starts a child under a guardian (guardian.sh), which ends it even when we are killed, and waits until it is ready. @throws when it ends or stays unready; the error has the log's tail. */
export async function startProcess(options: ProcessOptions): Promise<RunningProcess> {
  options.signal?.throwIfAborted();
  const { guardian, pid } = await spawnGuarded(options);
  let asked = false;
  let ended = false;
  const exited = new Promise<number>((resolve) => {
    guardian.once('close', (code) => {
      ended = true;
      resolve(code ?? 1);
    });
  });
  const release = () => {
    asked = true;
    (guardian.stdin as Writable).end();
  };
  const stop = async (): Promise<void> => {
    release();
    await exited;
  };
  options.signal?.addEventListener('abort', release, { once: true });
  void exited.then(() => options.signal?.removeEventListener('abort', release));

  const running: RunningProcess = {
    name: options.name,
    pid,
    logFile: options.logFile,
    exited,
    hasFailed: () => ended && !asked,
    kill: (signal) => {
      // A pid may be given anew once its owner is gone.
      if (ended) return;
      if (signal === 'SIGKILL' || signal === 'SIGTERM' || signal === 'SIGINT') asked = true;
      process.kill(pid, signal);
    },
    stop,
  };
  try {
    await becomeReady(options, exited);
    return running;
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Runs a command to its end. @throws when it does not exit with 0; the error has the log's tail. */
export async function runToEnd(options: Omit<ProcessOptions, 'ready' | 'readyTimeoutMs'>): Promise<void> {
  const running = await startProcess(options);
  const code = await running.exited;
  options.signal?.throwIfAborted();
  if (code !== 0) throw new Error(await failure(options, `ended with exit code ${code}`));
}

async function becomeReady(options: ProcessOptions, exited: Promise<number>): Promise<void> {
  const { ready } = options;
  if (ready === undefined) return;
  const give = new AbortController();
  const signal = options.signal === undefined ? give.signal : AbortSignal.any([give.signal, options.signal]);
  const timeoutMs = options.readyTimeoutMs ?? 60_000;
  const outcome = await Promise.race([
    exited.then((code) => `ended with exit code ${code} before it was ready`),
    waitUntil(() => ready(signal), { everyMs: 50, timeoutMs, signal }),
  ]).finally(() => give.abort());
  options.signal?.throwIfAborted();
  if (typeof outcome === 'string') throw new Error(await failure(options, outcome));
  if (!outcome) throw new Error(await failure(options, `was not ready after ${timeoutMs} ms`));
}

async function spawnGuarded(options: ProcessOptions): Promise<{ guardian: ChildProcess; pid: number }> {
  const log = openSync(options.logFile, 'a');
  const { onStdoutLine } = options;
  const guardian = spawn(
    '/bin/sh',
    [
      guardianScript,
      String(options.graceSeconds ?? 5),
      options.politeSignal ?? 'TERM',
      options.command,
      ...options.args,
    ],
    {
      // A session of its own: Ctrl-C in a terminal reaches us only, and we stop the parts in order.
      detached: true,
      env: { ...process.env, ...options.env },
      stdio: ['pipe', onStdoutLine === undefined ? log : 'pipe', log, 'pipe'],
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    },
  );
  closeSync(log);
  // The pipe may break while the guardian is ending; its exit is what counts.
  guardian.stdin?.on('error', () => {});
  if (onStdoutLine !== undefined) forEachLine(guardian.stdout as Readable, onStdoutLine);
  const pid = await new Promise<number>((resolve, reject) => {
    guardian.once('error', (cause) => reject(new Error(`Could not start ${options.name}: no shell`, { cause })));
    forEachLine(guardian.stdio[3] as Readable, (line) => resolve(Number(line)));
  });
  return { guardian, pid };
}

/** Whether there is a process of this pid, no matter whose. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Calls `onLine` for each full line, without its end. */
export function forEachLine(stream: Readable, onLine: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  });
}

async function failure(options: ProcessOptions, what: string): Promise<string> {
  return `${options.name} ${what}. Log: ${options.logFile}\n${await tail(options.logFile, 2000)}`;
}

async function tail(file: string, bytes: number): Promise<string> {
  const size = (await stat(file)).size;
  const handle = await open(file);
  try {
    const length = Math.min(size, bytes);
    const { buffer } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.toString('utf8');
  } finally {
    await handle.close();
  }
}
