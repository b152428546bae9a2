import { encodeBundle, parseBundle } from '../../src/pki/bundle.ts';
import type { IssuedPair } from '../../src/pki/issue.ts';
import { signerTakenFrom } from '../../src/pki/signed-by.ts';
import { material } from '../pki-material/material.ts';

/** How a request over mutual TLS ended; `unclear` is none of the three and always a failure of the test. */
export type Outcome = 'answered' | 'client refuses' | 'server refuses' | `unclear: ${string}`;

/** What one end of a connection is started with: its own pair, and the roots that it trusts, in PEM. */
export interface End {
  readonly pair: IssuedPair;
  readonly bundlePem: string;
}

/** One implementation of TLS, as a server that judges client certificates. */
export interface Servers {
  /** @returns the port on loopback */
  listen(end: End): Promise<number>;
}

/** One implementation of TLS, as a client that judges the server's certificate and makes one request. */
export interface Clients {
  request(port: number, end: End): Promise<Outcome>;
}

/** The name in all server certificates, and the SNI. */
export const serverName = 'localhost';

export interface Cell {
  readonly server: string;
  readonly bundle: string;
  readonly client: string;
  readonly outcome: Outcome;
}

const names = ['a', 'b', 'c'] as const;
/** Every non-empty set of the roots, as it stands in a bundle. */
const bundles = ['a', 'b', 'c', 'ab', 'ac', 'bc', 'abc'] as const;

export interface Parties {
  readonly roots: ReadonlyMap<string, IssuedPair>;
  readonly servers: ReadonlyMap<string, IssuedPair>;
  readonly clients: ReadonlyMap<string, IssuedPair>;
}

/** Roots a, b and c of one and the same subject, and a leaf of each for either end. */
export async function makeParties(): Promise<Parties> {
  const roots = new Map<string, IssuedPair>();
  const servers = new Map<string, IssuedPair>();
  const clients = new Map<string, IssuedPair>();
  for (const name of names) {
    const root = await material.root(name);
    roots.set(name, root);
    servers.set(name, await material.leaf(root, 'gateway', { dnsNames: [serverName] }));
    clients.set(name, await material.leaf(root, 'runtime', { dnsNames: ['skr-webhook.kyma-system.svc'] }));
  }
  return { roots, servers, clients };
}

const columns = names.flatMap((server) => bundles.map((bundle) => ({ server, bundle })));

/** Every server of the matrix, for an implementation that has to know them beforehand. */
export function serverEnds(parties: Parties): readonly End[] {
  return columns.map((column) => serverEnd(parties, column));
}

/**
 * {server leaf} × {bundle, held by both ends} × {client leaf}, by real handshakes. One server for a server leaf and a bundle;
 * its clients come one after the other, the servers side by side.
 */
export async function measure(parties: Parties, servers: Servers, clients: Clients): Promise<readonly Cell[]> {
  const measured: Cell[][] = columns.map(() => []);
  const waiting = [...columns.entries()];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, column] = next;
      const end = serverEnd(parties, column);
      const port = await servers.listen(end);
      for (const client of names) {
        const outcome = await clients.request(port, { pair: need(parties.clients, client), bundlePem: end.bundlePem });
        measured[index]?.push({ ...column, client, outcome });
      }
    }
  };
  await Promise.all([worker(), worker(), worker()]);
  return measured.flat();
}

/**
 * The same matrix as the project's own judgement has it: an end accepts a leaf if and only if a root of its bundle signed it.
 *
 * @param clientJudges `false` for the probe, which accepts any server, so that the server's judgement shows in every cell
 */
export function expected(parties: Parties, clientJudges = true): readonly Cell[] {
  return columns.flatMap((column) =>
    names.map((client) => {
      const { pair, bundlePem } = serverEnd(parties, column);
      const held = parseBundle(bundlePem).certificates;
      // The client judges first: it has the server's certificate before it sends its own.
      const refusing = clientJudges && signerTakenFrom(held, pair.certificate) === null;
      const refused = signerTakenFrom(held, need(parties.clients, client).certificate) === null;
      const outcome: Outcome = refusing ? 'client refuses' : refused ? 'server refuses' : 'answered';
      return { ...column, client, outcome };
    }),
  );
}

function serverEnd(parties: Parties, { server, bundle }: { readonly server: string; readonly bundle: string }): End {
  const roots = [...bundle].map((name) => need(parties.roots, name).certificate);
  return { pair: need(parties.servers, server), bundlePem: encodeBundle(roots) };
}

function need<T>(map: ReadonlyMap<string, T>, name: string): T {
  const found = map.get(name);
  if (found === undefined) throw new Error(`The matrix has no party ${name}`);
  return found;
}
