import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { forEachLine, runToEnd } from '../../world/process.ts';
import { projectRoot } from '../../world/project-root.ts';
import type { Workspace } from '../../world/workspace.ts';
import { type Clients, type End, type Outcome, type Servers, serverName } from './matrix.ts';

interface Answer {
  readonly port?: number;
  readonly outcome?: Outcome | 'unclear';
  readonly why?: string;
}

/** Go's crypto/tls as servers and clients, in one process that ends with `close`, or with us: its input ends then. */
export interface GoEnds extends Servers, Clients {
  close(): Promise<void>;
}

export function hasGo(): boolean {
  return spawnSync('go', ['version'], { timeout: 20_000 }).status === 0;
}

/** Builds the Go program (standard library alone; a second or two once Go has compiled that) and starts it. */
export async function startGoEnds(workspace: Workspace): Promise<GoEnds> {
  const binary = join(workspace.folder, 'handshake');
  await runToEnd({
    name: 'go build of the handshake program',
    command: 'go',
    args: ['build', '-o', binary, '.'],
    cwd: join(projectRoot, 'real-parts', 'handshake'),
    logFile: workspace.logFile('go-build'),
  });
  const child: ChildProcess = spawn(binary, { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const waiting: ((answer: Answer) => void)[] = [];
  if (child.stdout !== null) forEachLine(child.stdout, (line) => waiting.shift()?.(JSON.parse(line) as Answer));
  void exited.then(() => {
    for (const answer of waiting.splice(0)) answer({ outcome: 'unclear', why: 'the Go program has ended' });
  });
  const ask = (what: 'listen' | 'request', { pair, bundlePem }: End, port?: number): Promise<Answer> =>
    new Promise((resolve) => {
      waiting.push(resolve);
      const certificate = pair.certificatePem;
      const command = { do: what, certificate, key: pair.keyPem, bundle: bundlePem, port, serverName };
      child.stdin?.write(`${JSON.stringify(command)}\n`);
    });
  return {
    listen: async (end) => {
      const { port, why } = await ask('listen', end);
      if (port === undefined) throw new Error(`Go does not listen: ${why}`);
      return port;
    },
    request: async (port, end) => {
      const { outcome, why } = await ask('request', end, port);
      return outcome === undefined || outcome === 'unclear' ? `unclear: ${why}` : outcome;
    },
    close: async () => {
      child.stdin?.end();
      await exited;
    },
  };
}
