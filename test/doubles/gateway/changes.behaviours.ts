import { Agent, request } from 'node:https';
import { expect, test } from 'vitest';
import type { IssuedPair } from '../../../src/pki/issue.ts';
import { material } from '../../pki-material/material.ts';
import { path } from './ask.ts';
import { bundlePem, credential, type GatewayUnderTest } from './gateway-under-test.ts';

/** What the gateway makes of a Secret that changes, is spoilt, or goes. */
export function changes(subject: () => GatewayUnderTest): void {
  const roots = async (): Promise<readonly [IssuedPair, IssuedPair]> => [
    await material.root('a'),
    await material.root('b'),
  ];
  const tls = (pair: IssuedPair, bundle: string) => ({
    'tls.crt': pair.certificatePem,
    'tls.key': pair.keyPem,
    'ca.crt': bundle,
  });

  test('a changed Secret is used by new handshakes, and kept connections go on with what they began with', async () => {
    const { hold, server, ask, gateway, host } = subject();
    const [a, b] = await roots();
    const [before, after] = [await server(a), await server(b, 'after')];
    await hold(before, [a]);
    const client = await material.leaf(a, 'id-1');
    const [endpoint] = gateway.endpoints;
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ports = new Set<number | undefined>();
    const begin = () => {
      const running = request({
        method: 'POST',
        path,
        agent,
        host: endpoint?.host,
        port: endpoint?.port,
        servername: host,
        headers: { host },
        cert: client.certificatePem,
        key: client.keyPem,
        rejectUnauthorized: false,
      });
      const status = new Promise<number>((resolve, reject) => {
        running.on('response', (response) => {
          ports.add(response.socket.localPort);
          response.resume();
          response.on('end', () => resolve(response.statusCode ?? 0));
        });
        running.on('error', reject);
      });
      return { running, status };
    };
    const first = begin();
    first.running.end();
    expect(await first.status).toBe(200);
    const second = begin();
    second.running.write('half of it, ');
    await hold(after, [b]);
    expect(await ask(client)).toMatchObject({ outcome: 'refused', server: after.certificate.digest });
    expect(await ask(await material.leaf(b, 'id-1'))).toMatchObject({ outcome: 'answered' });
    second.running.end('and the rest');
    expect(await second.status).toBe(200);
    const third = begin();
    third.running.end();
    expect(await third.status).toBe(200);
    expect(ports.size).toBe(1);
    agent.destroy();
  });

  test('the dump tells what is used, since when, and of which version', async () => {
    const { hold, server, gateway } = subject();
    const [a, b] = await roots();
    const pair = await server(a);
    await hold(pair, [a]);
    const before = await gateway.configDump(0);
    const wroteMs = Date.now();
    await hold(pair, [b, a]);
    const after = await gateway.configDump(0);
    expect(after.bundle?.pem).toBe(bundlePem(b, a));
    expect(after.bundle?.version).not.toBe(before.bundle?.version);
    const takenMs = Date.parse(after.bundle?.lastUpdated ?? '');
    expect(takenMs).toBeGreaterThanOrEqual(wroteMs - 1);
    expect(takenMs).toBeLessThanOrEqual(Date.now());
    expect(after.serverCertificate?.pem).toBe(pair.certificatePem);
    expect(Date.parse(after.serverCertificate?.lastUpdated ?? '')).toBeLessThanOrEqual(Date.now());
    expect(JSON.stringify(after)).not.toContain('PRIVATE KEY');
  });

  test.each([
    ['a certificate of rubbish', { 'tls.crt': 'rubbish' }],
    ['a key of rubbish', { 'tls.key': 'rubbish' }],
    ['an empty certificate', { 'tls.crt': '' }],
    ['an empty key', { 'tls.key': '' }],
    ['the key of another', undefined],
  ])('a pair with %s leaves the last good one in use, and a good one is taken again', async (_, spoilt) => {
    const { hold, server, write, stays, meets } = subject();
    const [a, b] = await roots();
    const [pair, next] = [await server(a), await server(a, 'good-again')];
    const answers = [await material.leaf(a, 'id-1')];
    await hold(pair, [a]);
    await write({ ...tls(pair, bundlePem(a)), ...(spoilt ?? { 'tls.key': b.keyPem }) });
    await stays({ server: pair, answers });
    await write(tls(next, bundlePem(a)));
    await meets({ server: next, answers });
  });

  test.each([
    ['that is empty', () => ''],
    ['of rubbish', () => 'rubbish'],
    [
      'with one block that is none',
      (good: string) => `${good}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`,
    ],
  ])('a bundle %s leaves the last good one in use, and a good one is taken again', async (_, spoilt) => {
    const { hold, server, write, stays, meets } = subject();
    const [a, b] = await roots();
    const pair = await server(a);
    const [ofA, ofB] = [await material.leaf(a, 'id-1'), await material.leaf(b, 'id-1')];
    await hold(pair, [a]);
    await write(tls(pair, spoilt(bundlePem(b))));
    await stays({ server: pair, answers: [ofA], refuses: [ofB] });
    await write(tls(pair, bundlePem(b)));
    await meets({ server: pair, answers: [ofB], refuses: [ofA] });
  });

  test('what stands between the blocks of a bundle is passed over', async () => {
    const { hold, server, ask } = subject();
    const [a, b] = await roots();
    await hold(await server(a), `# the first\n${a.certificatePem}\n# the second\n${b.certificatePem.trimEnd()}`);
    for (const root of [a, b])
      expect(await ask(await material.leaf(root, 'id-1'))).toMatchObject({ outcome: 'answered' });
  });

  test('with a bad pair the bundle of the same Secret is taken all the same, and the dump shows the bad one', async () => {
    const { hold, server, write, stays, meets, gateway } = subject();
    const [a, b] = await roots();
    const [pair, next] = [await server(a), await server(a, 'next')];
    const answers = [await material.leaf(a, 'id-1'), await material.leaf(b, 'id-1')];
    await hold(pair, [a]);
    const before = await gateway.configDump(0);
    await write({ ...tls(next, bundlePem(b, a)), 'tls.crt': 'rubbish' });
    await stays({ server: pair, answers });
    const { serverCertificate } = await gateway.configDump(0);
    expect(serverCertificate?.pem).toBe('rubbish');
    expect(serverCertificate?.lastUpdated).toBe(before.serverCertificate?.lastUpdated);
    await write(tls(next, bundlePem(b, a)));
    await meets({ server: next, answers });
  });

  test('with a bad bundle the pair of the same Secret is not taken, until there is a good one', async () => {
    const { hold, server, write, stays, meets, gateway } = subject();
    const [a, b] = await roots();
    const [pair, next] = [await server(a), await server(a, 'next')];
    const ofA = await material.leaf(a, 'id-1');
    await hold(pair, [a]);
    const before = await gateway.configDump(0);
    await write(tls(next, 'rubbish'));
    await stays({ server: pair, answers: [ofA] });
    const { bundle } = await gateway.configDump(0);
    expect(bundle?.pem).toBe('rubbish');
    expect(bundle?.lastUpdated).toBe(before.bundle?.lastUpdated);
    await write(tls(next, bundlePem(b, a)));
    await meets({ server: next, answers: [ofA, await material.leaf(b, 'id-1')] });
  });

  test('behind a bad pair a good one with another bundle waits, until the same bundle comes once more', async () => {
    const { hold, server, write, stays, meets } = subject();
    const [a, b] = await roots();
    const [pair, next] = [await server(a), await server(a, 'next')];
    const [ofA, ofB] = [await material.leaf(a, 'id-1'), await material.leaf(b, 'id-1')];
    await hold(pair, [a]);
    await write({ ...tls(pair, bundlePem(a)), 'tls.crt': 'rubbish' });
    await stays({ server: pair, answers: [ofA], refuses: [ofB] });
    await write(tls(next, bundlePem(b, a)));
    await stays({ server: pair, answers: [ofA], refuses: [ofB] });
    await write({ ...tls(next, bundlePem(b, a)), more: 'x' });
    await meets({ server: next, answers: [ofA, ofB] });
  });

  test('a Secret that is deleted leaves what was loaded, and what comes after it is taken', async () => {
    const { hold, server, remove, stays, meets, write } = subject();
    const [a, b] = await roots();
    const [pair, anew] = [await server(a), await server(b, 'anew')];
    const [ofA, ofB] = [await material.leaf(a, 'id-1'), await material.leaf(b, 'id-1')];
    await hold(pair, [a]);
    await remove();
    await stays({ server: pair, answers: [ofA], refuses: [ofB] });
    await write(tls(anew, bundlePem(b)));
    await meets({ server: anew, answers: [ofB], refuses: [ofA] });
  });

  test('a companion Secret has the say on the bundle for as long as it is there, also when it has nothing to say', async () => {
    const { hold, server, write, remove, uses, stays } = subject();
    const [a, b] = await roots();
    const pair = await server(a);
    const [ofA, ofB] = [await material.leaf(a, 'id-1'), await material.leaf(b, 'id-1')];
    const companion = `${credential}-cacert`;
    await hold(pair, [a]);
    await write({ 'ca.crt': bundlePem(b) }, companion);
    await uses({ bundle: bundlePem(b) });
    await write({ 'ca.crt': bundlePem(b), cacert: bundlePem(b, a) }, companion);
    await uses({ bundle: bundlePem(b, a) });
    await write({ other: 'x' }, companion);
    await write(tls(pair, bundlePem(a)));
    await stays({ server: pair, answers: [ofA, ofB] });
    await remove(companion);
    await uses({ bundle: bundlePem(a) });
  });

  test('the general key names go before those of a TLS Secret, each for its half', async () => {
    const { hold, server, write, uses } = subject();
    const [a, b] = await roots();
    const [pair, general] = [await server(a), await server(a, 'general')];
    await hold(pair, [a]);
    await write({ ...tls(pair, bundlePem(a)), cacert: bundlePem(b, a) });
    await uses({ pair: pair.certificatePem, bundle: bundlePem(b, a) });
    await write({ ...tls(pair, bundlePem(a)), cert: general.certificatePem, key: general.keyPem });
    await uses({ pair: general.certificatePem, bundle: bundlePem(a) });
    await write({ ...tls(pair, bundlePem(a)), cert: general.certificatePem });
    await uses({ pair: pair.certificatePem, bundle: bundlePem(a) });
  });

  test('of changes that follow one another closely the last one stands', async () => {
    const { server, write, meets, stays, hold } = subject();
    const [a, b] = await roots();
    const answers = [await material.leaf(a, 'id-1'), await material.leaf(b, 'id-1')];
    const pairs = await Promise.all(Array.from({ length: 6 }, (_, index) => server(a, `close-${index}`)));
    await hold(await server(a), [a]);
    for (const [index, pair] of pairs.entries())
      await write(tls(pair, index % 2 === 0 ? bundlePem(a) : bundlePem(b, a)));
    const last = pairs.at(-1);
    if (last === undefined) throw new Error('unreachable');
    await meets({ server: last, answers });
    await stays({ server: last, answers });
  });
}
