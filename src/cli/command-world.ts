import type { Clock } from '../controller/clock.ts';
import type { KubeClient } from '../kubernetes/client.ts';
import type { Terminal } from './terminal.ts';

/** What of the command line says which hub and which trust domain. */
export interface HubFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly domain?: string;
}

/** A hub that a command talks to. */
export interface Hub {
  readonly client: KubeClient;
  /** Where trust domains are looked for. */
  readonly namespace: string;
  close(): Promise<void>;
}

/** What a command is given beside its command line. */
export interface CommandWorld {
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly openHub: (flags: HubFlags) => Promise<Hub>;
  /** Aborts when the person stops the command. */
  readonly signal: AbortSignal;
}

/** Opens the hub for one piece of work and closes it, whatever comes of that. */
export async function withHub<T>(world: CommandWorld, flags: HubFlags, work: (hub: Hub) => Promise<T>): Promise<T> {
  const hub = await world.openHub(flags);
  try {
    return await work(hub);
  } finally {
    await hub.close();
  }
}
