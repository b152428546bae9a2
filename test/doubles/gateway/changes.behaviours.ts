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

  const spoilt: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['a certificate of rubbish', { 'tls.crt': 'rubbish' }],
    ['a key of rubbish', { 'tls.key': 'rubbish' }],
    ['an empty certificate', { 'tls.crt': '' }],
    ['an empty key', { 'tls.key': '' }],
  ];
  test.each(spoilt)('a pair with %s leaves the last good one in use, and a good one is taken again', async (_, bad) => {
    const { hold, server, write, keeps, ask } = subject();
    const [a] = await roots();
    const pair = await server(a);
    await hold(pair, [a]);
    await write({ ...tls(pair, bundlePem(a)), ...bad });
    await keeps({ pair: pair.certificatePem, bundle: bundlePem(a) });
    expect(await ask(await material.leaf(a, 'id-1'))).toMatchObject({
      outcome: 'answered',
      server: pair.certificate.digest,
    });
    await hold(await server(a, 'good-again'), [a]);
  });

  test('a key that is not that of the certificate leaves the last good pair in use', async () => {
    const { hold, server, write, keeps } = subject();
    const [a, b] = await roots();
    const pair = await server(a);
    await hold(pair, [a]);
    await write({ ...tls(await server(a, 'other'), bundlePem(a)), 'tls.key': b.keyPem });
    await keeps({ pair: pair.certificatePem, bundle: bundlePem(a) });
    await hold(await server(a, 'good-again'), [a]);
  });

  test.each([
    ['that is empty', ''],
    ['of rubbish', 'rubbish'],
    ['with one block that is none', 'bad block'],
  ])('a bundle %s leaves the last good one in use, and a good one is taken again', async (_, text) => {
    const { hold, server, write, keeps, ask } = subject();
    const [a, b] = await roots();
    const pair = await server(a);
    await hold(pair, [a]);
    const broken = `-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`;
    await write(tls(pair, text === 'bad block' ? bundlePem(b) + broken : text));
    await keeps({ pair: pair.certificatePem, bundle: bundlePem(a) });
    expect(await ask(await material.leaf(a, 'id-1'))).toMatchObject({ outcome: 'answered' });
    await hold(pair, [b]);
  });

  test('what stands between the blocks of a bundle is passed over', async () => {
    const { hold, server, ask } = subject();
    const [a, b] = await roots();
    await hold(await server(a), `# the first\n${a.certificatePem}\n# the second\n${b.certificatePem.trimEnd()}`);
    for (const root of [a, b])
      expect(await ask(await material.leaf(root, 'id-1'))).toMatchObject({ outcome: 'answered' });
  });

  test('with a bad pair the bundle of the same Secret is taken all the same', async () => {
    const { hold, server, write, uses, keeps } = subject();
    const [a, b] = await roots();
    const pair = await server(a);
    await hold(pair, [a]);
    await write({ ...tls(pair, bundlePem(b, a)), 'tls.crt': 'rubbish' });
    await uses({ bundle: bundlePem(b, a) });
    await keeps({ pair: pair.certificatePem });
    await hold(pair, [a]);
  });

  test('with a bad bundle the pair of the same Secret is taken all the same', async () => {
    const { hold, server, write, uses, keeps } = subject();
    const [a] = await roots();
    await hold(await server(a), [a]);
    const next = await server(a, 'next');
    await write(tls(next, 'rubbish'));
    await uses({ pair: next.certificatePem });
    await keeps({ bundle: bundlePem(a) });
    await hold(next, [a]);
  });

  test('a Secret that is deleted leaves what was loaded, and what comes after it is taken', async () => {
    const { hold, server, remove, keeps, ask } = subject();
    const [a, b] = await roots();
    const pair = await server(a);
    await hold(pair, [a]);
    await remove();
    await keeps({ pair: pair.certificatePem, bundle: bundlePem(a) });
    expect(await ask(await material.leaf(a, 'id-1'))).toMatchObject({ outcome: 'answered' });
    await hold(await server(b, 'anew'), [b]);
    expect(await ask(await material.leaf(a, 'id-1'))).toMatchObject({ outcome: 'refused' });
  });

  test('a companion Secret has the say on the bundle for as long as it is there, also when it has nothing to say', async () => {
    const { hold, server, write, remove, uses, keeps } = subject();
    const [a, b] = await roots();
    const pair = await server(a);
    const companion = `${credential}-cacert`;
    await hold(pair, [a]);
    await write({ 'ca.crt': bundlePem(b) }, companion);
    await uses({ bundle: bundlePem(b) });
    await write({ 'ca.crt': bundlePem(b), cacert: bundlePem(b, a) }, companion);
    await uses({ bundle: bundlePem(b, a) });
    await write({ other: 'x' }, companion);
    await write(tls(pair, bundlePem(a, b)));
    await keeps({ bundle: bundlePem(b, a) });
    await remove(companion);
    await uses({ bundle: bundlePem(a, b) });
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
    const { server, write, uses, keeps, hold } = subject();
    const [a, b] = await roots();
    const pairs = await Promise.all(Array.from({ length: 6 }, (_, index) => server(a, `close-${index}`)));
    await hold(await server(a), [a]);
    for (const [index, pair] of pairs.entries())
      await write(tls(pair, index % 2 === 0 ? bundlePem(a) : bundlePem(b, a)));
    const last = pairs.at(-1);
    if (last === undefined) throw new Error('unreachable');
    await uses({ pair: last.certificatePem, bundle: bundlePem(b, a) });
    await keeps({ pair: last.certificatePem, bundle: bundlePem(b, a) });
  });
}
