import type { RuntimeTrustStatus } from './runtime-trust.ts';

type Stored = NonNullable<RuntimeTrustStatus['held']>;
type StoredValue = Stored['values'][number];
type StoredClient = NonNullable<StoredValue['client']>;

/** The record of a runtime as the decisions take it: what is nullable is there. */
export interface Held {
  readonly beyond: Stored['beyond'];
  readonly values: readonly (Omit<StoredValue, 'client'> & {
    readonly client: (Omit<StoredClient, 'signer'> & { readonly signer: string | null }) | null;
  })[];
}

const lost: Held = { beyond: 'lost', values: [] };

/**
 * The record in a status. A status without one is a lost record: nothing is known of the runtime, so it may be using
 * anything (S6). An API server may leave out a null; left out and null mean the same.
 */
export function heldIn(status: RuntimeTrustStatus | undefined): Held {
  if (status?.held === undefined) return lost;
  let held = known.get(status.held);
  if (held === undefined) {
    held = read(status.held);
    known.set(status.held, held);
  }
  return held;
}

/** Ten thousand records are asked for after each event, and all but one are the same objects as before. */
const known = new WeakMap<Stored, Held>();

function read({ beyond, values }: Stored): Held {
  return {
    beyond,
    values: values.map(({ client, ...value }) => ({
      ...value,
      client: client === null || client === undefined ? null : { ...client, signer: client.signer ?? null },
    })),
  };
}
