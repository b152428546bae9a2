import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCa, issueLeaf, type Pair } from '../../world/certificates.ts';
import { createKubeClient } from './client.ts';
import type { KubeError } from './errors.ts';
import type { ClusterConfig } from './kubeconfig.ts';
import { getPath } from './request.ts';

const call = { signal: new AbortController().signal };
let server: Server;
let ca: Pair;
let config: ClusterConfig;
let handshakes = 0;
let directory = '';

/** Answers with the name in the client's certificate, or 401 without one. */
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'keyturn-tls-'));
  ca = await createCa({ commonName: 'cluster-ca' });
  const serving = await issueLeaf(ca, { commonName: 'kubernetes', dnsNames: ['kubernetes.default'] });
  server = createServer(
    {
      cert: serving.certificatePem,
      key: serving.keyPem,
      ca: ca.certificatePem,
      requestCert: true,
      rejectUnauthorized: false,
    },
    (incoming, response) => {
      const name = (incoming.socket as TLSSocket).getPeerCertificate().subject?.CN;
      response.writeHead(name === undefined || name === 'expired' ? 401 : 200).end(String(name));
    },
  );
  server.on('secureConnection', () => {
    handshakes += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  config = {
    server: `https://127.0.0.1:${port}`,
    certificateAuthority: { text: ca.certificatePem },
    tlsServerName: 'kubernetes.default',
    insecureSkipTlsVerify: false,
  };
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(directory, { recursive: true });
});

async function ask(of: ClusterConfig): Promise<string> {
  const client = createKubeClient(of);
  try {
    return (await client.send(getPath('/version'), call)).text;
  } catch (error) {
    const { reason, message } = error as KubeError;
    return `${reason}: ${message}`;
  } finally {
    await client.close();
  }
}

describe('a TLS connection', () => {
  test('presents the client certificate, to the server whose name the kubeconfig gives', async () => {
    const pair = await issueLeaf(ca, { commonName: 'operator' });
    const clientCertificate = { certificate: { text: pair.certificatePem }, key: { text: pair.keyPem } };
    expect(await ask({ ...config, clientCertificate })).toBe('operator');
  });

  test('is refused where the server has another name or another authority', async () => {
    expect(await ask({ ...config, tlsServerName: 'other' })).toMatch(/^TlsFailed: .*ERR_TLS_CERT_ALTNAME_INVALID/);
    const other = await createCa({ commonName: 'cluster-ca' });
    expect(await ask({ ...config, certificateAuthority: { text: other.certificatePem } })).toMatch(/^TlsFailed/);
  });

  test('is made without a check only where the kubeconfig says so', async () => {
    const { certificateAuthority: _, tlsServerName: __, ...unchecked } = config;
    expect(await ask({ ...unchecked, insecureSkipTlsVerify: true })).toMatch(/^Unauthorized/);
  });

  test('is not even tried with an authority that Node would silently take for none', async () => {
    const broken = ca.certificatePem.replace(/[A-Za-z0-9]{20}/, '');
    for (const text of ['garbage', '', broken, `${ca.certificatePem}\n${broken}`]) {
      expect(await ask({ ...config, certificateAuthority: { text } })).toMatch(/^CredentialsFailed: .*authority/);
    }
  });

  test('is not tried with a certificate and a key that do not belong together, and no word of either is told', async () => {
    const [one, two] = await Promise.all([issueLeaf(ca, { commonName: 'one' }), issueLeaf(ca, { commonName: 'two' })]);
    const clientCertificate = { certificate: { text: one.certificatePem }, key: { text: two.keyPem } };
    const told = await ask({ ...config, clientCertificate });
    expect(told).toMatch(/^CredentialsFailed/);
    expect(told).not.toContain(two.keyPem.split('\n')[1]);
  });

  test('is made by the request after one that met key and certificate half changed (B51)', async () => {
    const [one, two] = await Promise.all([issueLeaf(ca, { commonName: 'one' }), issueLeaf(ca, { commonName: 'two' })]);
    const files = { certificate: join(directory, 'half.crt'), key: join(directory, 'half.key') };
    writeFileSync(files.certificate, one.certificatePem);
    writeFileSync(files.key, two.keyPem, { mode: 0o600 });
    const clientCertificate = { certificate: { file: files.certificate }, key: { file: files.key } };
    const client = createKubeClient({ ...config, clientCertificate });
    await expect(client.send(getPath('/version'), call)).rejects.toMatchObject({
      reason: 'CredentialsFailed',
      outcome: 'refused',
      retry: 'later',
    });
    writeFileSync(files.certificate, two.certificatePem);
    expect((await client.send(getPath('/version'), call)).text).toBe('two');
    await client.close();
  });

  test('is kept for later requests, and made anew when the certificate in the file has changed', async () => {
    const files = { certificate: join(directory, 'tls.crt'), key: join(directory, 'tls.key') };
    const put = async (commonName: string): Promise<void> => {
      const pair = await issueLeaf(ca, { commonName });
      writeFileSync(files.certificate, pair.certificatePem);
      writeFileSync(files.key, pair.keyPem, { mode: 0o600 });
    };
    await put('before');
    const clientCertificate = { certificate: { file: files.certificate }, key: { file: files.key } };
    const client = createKubeClient({ ...config, clientCertificate }, { connections: 1 });
    const version = async () => (await client.send(getPath('/version'), call)).text;
    const handshakesBefore = handshakes;
    expect([await version(), await version(), await version()]).toEqual(['before', 'before', 'before']);
    expect(handshakes - handshakesBefore).toBe(1);
    await client.close();

    await put('expired');
    const refused = createKubeClient({ ...config, clientCertificate });
    await expect(refused.send(getPath('/version'), call)).rejects.toMatchObject({ status: 401 });
    await put('after');
    expect((await refused.send(getPath('/version'), call)).text).toBe('after');
    await refused.close();
  });
});
