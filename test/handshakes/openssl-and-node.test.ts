import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseBundle } from '../../src/pki/bundle.ts';
import { openWorkspace, type Workspace } from '../../world/workspace.ts';
import { material } from '../pki-material/material.ts';
import { expected, makeParties, measure } from './matrix.ts';
import { nodeClients, nodeServers, probeClients } from './node-ends.ts';
import { opensslClients, opensslServers } from './openssl-ends.ts';
import { acceptedByAll, makeTraps, outcomeOf, spring } from './traps.ts';

let workspace: Workspace;
let node: ReturnType<typeof nodeServers>;
let openssl: ReturnType<typeof opensslServers>;
beforeAll(async () => {
  workspace = await openWorkspace('keyturn-handshakes-');
  node = nodeServers();
  openssl = opensslServers(workspace);
});
afterAll(async () => {
  await Promise.all([node?.close(), openssl?.close()]);
  await workspace?.close({ keepLogs: false });
});

describe('with three roots of one subject, every server leaf, every bundle and every client leaf', () => {
  test('Node accepts exactly what a root of the bundle signed', async () => {
    const parties = await makeParties();
    expect(await measure(parties, node, nodeClients)).toEqual(expected(parties));
    expect(await measure(parties, node, probeClients)).toEqual(expected(parties, false));
  }, 30_000);

  test('OpenSSL accepts exactly what a root of the bundle signed', async () => {
    const parties = await makeParties();
    expect(await measure(parties, openssl, opensslClients(workspace))).toEqual(expected(parties));
  }, 60_000);
});

describe('a trap, as it was measured, for Node and OpenSSL:', async () => {
  test.each(await makeTraps())('$name', async (trap) => {
    expect(await spring(trap, node, nodeClients)).toBe(outcomeOf(trap, 'node'));
    expect(await spring(trap, openssl, opensslClients(workspace))).toBe(outcomeOf(trap, 'openssl'));
  });

  test('our own judgement is the strictest of all verifiers, no more and no less', async () => {
    const traps = (await makeTraps()).filter((trap) => trap.aboutExtendedKeyUsage !== true);
    const ours = traps.map((trap) => [trap.name, acceptedByAll(trap, Date.now())]);
    expect(ours).toEqual(traps.map((trap) => [trap.name, Object.values(trap.accepts).every((accepts) => accepts)]));
  });

  test('a block glued to the one before is read by us and by nobody else, so it is not canonical', async () => {
    const [a, b] = await Promise.all([material.root('a'), material.root('b')]);
    const [gateway, client] = await Promise.all([material.leaf(a, 'gateway'), material.leaf(b, 'runtime')]);
    const glued = a.certificatePem.trimEnd() + b.certificatePem;
    expect(parseBundle(glued)).toMatchObject({ certificates: material.bundle(a, b), canonical: false });
    const port = await node.listen({ pair: gateway, bundlePem: glued });
    const mine = { pair: client, bundlePem: a.certificatePem };
    expect(await nodeClients.request(port, mine)).toBe('server refuses');
  });
});
