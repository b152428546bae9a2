import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../world/free-ports.ts';
import { type RunningProcess, startProcess } from '../world/process.ts';
import { projectRoot } from '../world/project-root.ts';
import type { World } from '../world/world.ts';
import { operatorKubeconfig } from './hub-objects.ts';

/**
 * Starts the built operator as its own process, by the command that a hub runs, with the published rights and no more.
 * Ready means that its watches are in place.
 */
export async function startOperator(world: World, signal: AbortSignal): Promise<RunningProcess> {
  const { hub, workspace } = world;
  const kubeconfig = join(await workspace.subfolder('operator'), 'kubeconfig.yaml');
  await writeFile(kubeconfig, await operatorKubeconfig(hub, signal), { mode: 0o600 });
  const address = `127.0.0.1:${await freePort()}`;
  return startProcess({
    name: 'keyturn operator',
    command: process.execPath,
    args: [
      join(projectRoot, 'dist/src/cli/main.js'),
      ...['operator', '--kubeconfig', kubeconfig, '--metrics-address', address],
    ],
    logFile: workspace.logFile('operator'),
    ready: async (readySignal) => (await fetch(`http://${address}/readyz`, { signal: readySignal })).ok,
    graceSeconds: 10,
    signal,
  });
}
