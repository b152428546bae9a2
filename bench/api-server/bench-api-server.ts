import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createKubeClient, type KubeClient } from '../../src/kubernetes/client.ts';
import { parseKubeconfig } from '../../src/kubernetes/kubeconfig.ts';
import { NAMESPACE, SECRET, type SecretObject } from '../../src/kubernetes/resource.ts';
import { startApiServers } from '../../world/real/api-servers.ts';
import { openWorkspace } from '../../world/workspace.ts';
import { cpuTimeMs } from './cpu-time.ts';

export const operations = ['get', 'list', 'create', 'update', 'apply'] as const;
export type Operation = (typeof operations)[number];

export interface ServerRate {
  readonly operation: Operation;
  readonly requestsPerSecond: number;
  /** Requests by each second of CPU time of the server (the real one's etcd included); `null` where that cannot be read. */
  readonly perCore: number | null;
}

export interface ApiServerBench {
  readonly embedded: readonly ServerRate[];
  readonly real: readonly ServerRate[];
}

export interface ApiServerBenchOptions {
  /** Requests under way at once. @default 32 */
  readonly callers?: number;
  /** Of one round of one operation. @default 2000 */
  readonly roundMs?: number;
  /** Before the rounds: code that is not compiled yet costs several times as much. @default 2000 */
  readonly warmUpMs?: number;
}

/** A server under load, and the processes whose CPU time it takes. */
interface Loaded {
  readonly client: KubeClient;
  readonly pids: readonly number[];
}

const namespace = 'bench';
const fieldManager = 'bench';
const filler = Buffer.alloc(2_200, 'x').toString('base64');

/** The same requests to an embedded and to a real API server, with the same client, each server in processes of its own. */
export async function benchApiServer(
  signal: AbortSignal,
  { callers = 32, roundMs = 2_000, warmUpMs = 2_000 }: ApiServerBenchOptions = {},
): Promise<ApiServerBench> {
  const measureAll = async ({ client, pids }: Loaded): Promise<readonly ServerRate[]> => {
    const calls = callsOf(client, signal);
    await client.apply(NAMESPACE, { metadata: { name: namespace } }, { signal, fieldManager });
    for (let caller = 0; caller < callers; caller += 1) await calls.apply(caller);
    const rates: ServerRate[] = [];
    for (const operation of operations) {
      await load(calls[operation], callers, warmUpMs);
      rates.push({ operation, ...(await measured(calls[operation], callers, roundMs, pids)) });
    }
    return rates;
  };
  return { embedded: await onEmbedded(measureAll), real: await onReal(measureAll, signal) };
}

async function onEmbedded<T>(use: (loaded: Loaded) => Promise<T>): Promise<T> {
  const child = fork(fileURLToPath(new URL('./embedded-main.js', import.meta.url)));
  const exited = once(child, 'exit');
  try {
    const [kubeconfig] = await Promise.race([
      once(child, 'message'),
      exited.then(() => {
        throw new Error('The embedded API server ended at its start');
      }),
    ]);
    const client = createKubeClient(parseKubeconfig(String(kubeconfig)), { connections: 16 });
    try {
      return await use({ client, pids: [child.pid ?? 0] });
    } finally {
      await client.close();
    }
  } finally {
    child.disconnect();
    await exited;
  }
}

async function onReal<T>(use: (loaded: Loaded) => Promise<T>, signal: AbortSignal): Promise<T> {
  const workspace = await openWorkspace();
  let failed = true;
  try {
    const servers = await startApiServers(workspace, signal);
    try {
      const { kubeconfig } = await servers.start('bench');
      const client = createKubeClient(parseKubeconfig(kubeconfig), { connections: 16 });
      try {
        const result = await use({ client, pids: servers.pids() });
        failed = false;
        return result;
      } finally {
        await client.close();
      }
    } finally {
      await servers.stop();
    }
  } finally {
    await workspace.close({ keepLogs: failed && !signal.aborted });
  }
}

type Call = (caller: number) => Promise<unknown>;

/** On Secrets of about 3 kB, one a caller. */
function callsOf(client: KubeClient, signal: AbortSignal): Record<Operation, Call> {
  let turn = 0;
  const secret = (name: string): SecretObject => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, name },
    data: { 'tls.crt': filler, turn: Buffer.from(String(turn++)).toString('base64') },
  });
  const nameOf = (caller: number): string => `secret-${caller}`;
  const selection = { namespace, labelSelector: 'nobody=has-it' };
  return {
    get: (caller) => client.get(SECRET, { namespace, name: nameOf(caller) }, { signal }),
    // The look through all objects, and not the writing of a long answer.
    list: () => client.list(SECRET, selection, { signal }),
    create: () => client.create(SECRET, secret(`made-${turn}`), { signal, fieldManager }),
    update: async (caller) => {
      const standing = await client.get<SecretObject>(SECRET, { namespace, name: nameOf(caller) }, { signal });
      const { data } = secret(nameOf(caller));
      return client.replace(SECRET, { ...standing, data: data ?? {} }, { signal, fieldManager });
    },
    apply: (caller) => client.apply(SECRET, secret(nameOf(caller)), { signal, fieldManager, force: true }),
  };
}

/** @returns how many calls were made */
async function load(call: Call, callers: number, durationMs: number): Promise<number> {
  let made = 0;
  const beganMs = performance.now();
  const keepCalling = async (caller: number): Promise<void> => {
    while (performance.now() - beganMs < durationMs) {
      await call(caller);
      made += 1;
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, caller) => keepCalling(caller)));
  return made;
}

async function measured(
  call: Call,
  callers: number,
  durationMs: number,
  pids: readonly number[],
): Promise<Omit<ServerRate, 'operation'>> {
  const before = await cpuTimeMs(pids);
  const beganMs = performance.now();
  const made = await load(call, callers, durationMs);
  const seconds = (performance.now() - beganMs) / 1_000;
  const after = await cpuTimeMs(pids);
  const cpuSeconds = before === null || after === null ? null : (after - before) / 1_000;
  return { requestsPerSecond: made / seconds, perCore: cpuSeconds === null ? null : made / cpuSeconds };
}
