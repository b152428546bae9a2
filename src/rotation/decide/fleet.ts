import type { Holdings } from './values.ts';

/** A runtime as the gateway's decisions see it. */
export interface RuntimeStanding {
  readonly name: string;
  /** `null`: it has no `RuntimeTrust` yet, so nothing is known of it. It is unproven, not gone (design 3.5). */
  readonly held: Holdings | null;
  /** For how long this process has waited for a proof of it, on its monotonic clock; 0 when it is proven. */
  readonly unprovenForMs: number;
}

/** The fleet, from a watched store or from a live read. */
export interface Fleet {
  /** Read live, after the gateway Secret was. Only then may the server switch or a root leave (design 3.5). */
  readonly live: boolean;
  readonly runtimes: readonly RuntimeStanding[];
}
