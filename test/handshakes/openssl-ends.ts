import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort } from '../../world/free-ports.ts';
import { type RunningProcess, startProcess } from '../../world/process.ts';
import type { Workspace } from '../../world/workspace.ts';
import { type Clients, type End, type Outcome, type Servers, serverName } from './matrix.ts';

// The machine's own roots stay out of it.
const onlyThese = ['-no-CApath', '-no-CAstore'];

/** `openssl s_server`, one process each; `close` ends them all. */
export function opensslServers(workspace: Workspace): Servers & { close(): Promise<void> } {
  const running: RunningProcess[] = [];
  return {
    listen: async (end) => {
      const port = await freePort();
      const files = await writeEnd(workspace, `server-${port}`, end);
      running.push(
        await startProcess({
          name: `openssl s_server ${port}`,
          command: 'openssl',
          args: [
            's_server',
            '-accept',
            `127.0.0.1:${port}`,
            '-tls1_3',
            '-www',
            '-Verify',
            '1',
            '-verify_return_error',
          ].concat(onlyThese, files),
          logFile: workspace.logFile(`s_server-${port}`),
          ready: () => canConnect(port),
        }),
      );
      return port;
    },
    close: async () => {
      await Promise.all(running.map((server) => server.stop()));
    },
  };
}

/** `openssl s_client`, one process a request. */
export function opensslClients(workspace: Workspace): Clients {
  let count = 0;
  return {
    request: async (port, end) => {
      count += 1;
      const files = await writeEnd(workspace, `client-${count}`, end);
      const args = [
        's_client',
        '-connect',
        `127.0.0.1:${port}`,
        '-servername',
        serverName,
        '-verify_hostname',
        serverName,
      ].concat(['-tls1_3', '-quiet', '-verify_return_error'], onlyThese, files);
      return new Promise<Outcome>((resolve) => {
        const child = execFile('openssl', args, { timeout: 5000 }, (_, stdout, stderr) => {
          if (stdout.startsWith('HTTP/1.0 200')) resolve('answered');
          else if (stderr.includes('certificate verify failed')) resolve('client refuses');
          else if (/alert (unknown ca|decrypt error|.*certificate)/.test(stderr)) resolve('server refuses');
          else resolve(`unclear: ${stderr.split('\n').at(-2) ?? ''}`);
        });
        child.stdin?.on('error', () => undefined);
        child.stdin?.end('GET / HTTP/1.0\r\n\r\n');
      });
    },
  };
}

async function writeEnd(workspace: Workspace, name: string, { pair, bundlePem }: End): Promise<readonly string[]> {
  const file = (kind: string): string => join(workspace.folder, `${name}.${kind}`);
  await Promise.all([
    writeFile(file('crt'), pair.certificatePem),
    writeFile(file('key'), pair.keyPem, { mode: 0o600 }),
    writeFile(file('roots'), bundlePem),
  ]);
  return ['-cert', file('crt'), '-key', file('key'), '-CAfile', file('roots')];
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const finish = (answered: boolean): void => {
      socket.destroy();
      resolve(answered);
    };
    socket.on('connect', () => finish(true));
    socket.on('error', () => finish(false));
  });
}
