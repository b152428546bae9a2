import type { IssuedPair } from '../../src/pki/issue.ts';
import { effectiveEndMs, signerTakenFrom } from '../../src/pki/signed-by.ts';
import { material } from '../pki-material/material.ts';
import { type Clients, type End, type Outcome, type Servers, serverName } from './matrix.ts';

export type Verifier = 'node' | 'openssl' | 'go' | 'envoy';

/** A known disagreement between verifiers. `accepts` is what each was measured to do; a change of one of them shows here. */
export interface Trap {
  readonly name: string;
  readonly judge: 'server' | 'client';
  /** Which leaf is shown, and which roots the judging end holds, in this order. */
  readonly shown: IssuedPair;
  readonly bundle: readonly IssuedPair[];
  readonly accepts: Readonly<Partial<Record<Verifier, boolean>>>;
  readonly aboutExtendedKeyUsage?: true;
}

const everyone = { node: true, openssl: true, go: true, envoy: true };
const onlyGo = { node: false, openssl: false, go: true, envoy: false };

export async function makeTraps(): Promise<readonly Trap[]> {
  const { madeMs, dayMs } = material;
  const hosts = { dnsNames: [serverName] };
  const [a, b, plain] = await Promise.all([
    material.root('a', hosts),
    material.root('b', hosts),
    material.root('plain', { subjectKeyId: false }),
  ]);
  const named = await material.root('named', { ...hosts, authorityKeyId: true });
  const bare = await material.leaf(b, 'bare', { authorityKeyId: false });
  const leafOfA = await material.leaf(a, 'runtime');
  const ended = await material.root('a', { renews: a, notBeforeMs: madeMs - 9 * dayMs, notAfterMs: madeMs - dayMs });
  const renewed = await material.root('a', { renews: a, notAfterMs: madeMs + 120 * dayMs });
  const otherId = await material.root('a', { renews: a, subjectKeyId: Buffer.alloc(20, 7) });
  const serverOnly = await material.root('gardener', { extendedKeyUsage: ['serverAuth'] });

  return [
    {
      name: 'a self-signed root shown as server certificate, alone in the bundle',
      judge: 'client',
      shown: b,
      bundle: [b],
      accepts: { node: true, openssl: true, go: true },
    },
    {
      name: 'a self-signed root shown as server certificate, behind a namesake in the bundle',
      judge: 'client',
      shown: b,
      bundle: [a, b],
      accepts: { node: false, openssl: false, go: true },
    },
    {
      name: 'a self-signed root that names its own key, shown as server certificate, behind a namesake',
      judge: 'client',
      shown: named,
      bundle: [a, named],
      accepts: { node: true, openssl: true, go: true },
    },
    {
      name: 'a leaf without authority key identifier, its root first',
      judge: 'server',
      shown: bare,
      bundle: [b, a],
      accepts: everyone,
    },
    {
      name: 'a leaf without authority key identifier, its root behind a namesake',
      judge: 'server',
      shown: bare,
      bundle: [a, b],
      accepts: onlyGo,
    },
    {
      name: 'a leaf of ours whose root has no key identifier, behind a namesake that has one',
      judge: 'server',
      shown: await material.leaf(plain, 'runtime'),
      bundle: [a, plain],
      accepts: everyone,
    },
    {
      name: 'a leaf of ours behind a namesake of its root that has no key identifier',
      judge: 'server',
      shown: leafOfA,
      bundle: [plain, a],
      accepts: onlyGo,
    },
    {
      name: 'a leaf whose root was renewed, the later-expiring generation first',
      judge: 'server',
      shown: leafOfA,
      bundle: [renewed, a],
      accepts: everyone,
    },
    {
      name: 'a leaf whose root was renewed, the earlier generation gone',
      judge: 'server',
      shown: leafOfA,
      bundle: [renewed],
      accepts: everyone,
    },
    {
      name: 'a leaf whose root was renewed, an expired generation last',
      judge: 'server',
      shown: leafOfA,
      bundle: [renewed, ended],
      accepts: everyone,
    },
    {
      name: 'a leaf whose root was renewed, an expired generation first',
      judge: 'server',
      shown: leafOfA,
      bundle: [ended, renewed],
      // BoringSSL takes the first that fits and looks at the time afterwards: hence the order in a bundle of ours.
      accepts: { node: true, openssl: true, go: true, envoy: false },
    },
    {
      name: 'a leaf whose root was renewed with another key identifier for the same key',
      judge: 'server',
      shown: leafOfA,
      bundle: [otherId],
      accepts: onlyGo,
    },
    {
      name: 'a client certificate of a root for server authentication only, as Gardener makes them',
      judge: 'server',
      shown: await material.leaf(serverOnly, 'runtime'),
      bundle: [serverOnly],
      accepts: { node: false, openssl: false, go: false, envoy: true },
      aboutExtendedKeyUsage: true,
    },
  ];
}

/** A pair that both ends trust beside what the trap is about. */
async function bystander(): Promise<{ readonly root: IssuedPair; readonly leaf: IssuedPair }> {
  const root = await material.root('bystander', { subject: { commonName: 'bystander' } });
  return { root, leaf: await material.leaf(root, 'bystander', { dnsNames: [serverName] }) };
}

/** The server that a trap needs. */
export async function serverEndOf(trap: Trap): Promise<End> {
  const { root, leaf } = await bystander();
  return trap.judge === 'server'
    ? { pair: leaf, bundlePem: pemOf(trap.bundle) }
    : { pair: trap.shown, bundlePem: root.certificatePem };
}

/** Whether the end that judges accepts what it is shown. */
export async function spring(trap: Trap, servers: Servers, clients: Clients): Promise<Outcome> {
  const { root, leaf } = await bystander();
  const port = await servers.listen(await serverEndOf(trap));
  const client =
    trap.judge === 'server'
      ? { pair: trap.shown, bundlePem: root.certificatePem }
      : { pair: leaf, bundlePem: pemOf(trap.bundle) };
  return clients.request(port, client);
}

/**
 * The project's own word on a trap: does every verifier accept? It leaves out what a root's extended key usage allows, on
 * which production's gateway and the others differ.
 */
export function acceptedByAll(trap: Trap, nowMs: number): boolean {
  const bundle = trap.bundle.map((root) => root.certificate);
  const signer = signerTakenFrom(bundle, trap.shown.certificate);
  return signer !== null && effectiveEndMs(trap.shown.certificate, signer) > nowMs;
}

/** What `spring` should give for a verifier; `null` when nothing was measured for it. */
export function outcomeOf(trap: Trap, verifier: Verifier): Outcome | null {
  const accepts = trap.accepts[verifier];
  if (accepts === undefined) return null;
  return accepts ? 'answered' : `${trap.judge} refuses`;
}

function pemOf(bundle: readonly IssuedPair[]): string {
  return bundle.map((pair) => pair.certificatePem).join('');
}
