import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { inClusterConfig, KubeconfigError, loadKubeconfig, parseKubeconfig } from './kubeconfig.ts';

const PLANTED = 'planted-secret-4711';
const base64 = (text: string) => Buffer.from(text).toString('base64');

function kubeconfig(user: unknown, cluster: unknown = { server: 'https://host:6443' }): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'main',
    contexts: [{ name: 'main', context: { cluster: 'c', user: 'u', namespace: 'kcp' } }],
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user }],
  });
}

describe('a kubeconfig', () => {
  test('with everything inline is read without touching a file', () => {
    const content = kubeconfig(
      { 'client-certificate-data': base64('CERT'), 'client-key-data': base64('KEY') },
      {
        server: 'https://host:6443/',
        'certificate-authority-data': base64('CA'),
        'tls-server-name': 'kubernetes',
      },
    );
    expect(parseKubeconfig(content)).toEqual({
      server: 'https://host:6443',
      certificateAuthority: { text: 'CA' },
      tlsServerName: 'kubernetes',
      insecureSkipTlsVerify: false,
      namespace: 'kcp',
      clientCertificate: { certificate: { text: 'CERT' }, key: { text: 'KEY' } },
    });
  });

  test('may be JSON, may have no user, and may hold empty values and nulls for what is not set', () => {
    const content = JSON.stringify({
      'current-context': 'main',
      contexts: [{ name: 'main', context: { cluster: 'c', user: '' } }],
      clusters: [
        { name: 'c', cluster: { server: 'http://127.0.0.1:1', 'certificate-authority': '', 'proxy-url': null } },
      ],
      users: null,
    });
    expect(parseKubeconfig(content)).toEqual({ server: 'http://127.0.0.1:1', insecureSkipTlsVerify: false });
  });

  test('gives the context that is asked for', () => {
    const content = kubeconfig({ token: 't' });
    expect(() => parseKubeconfig(content, { context: 'other' })).toThrow('no context "other"');
  });

  test('from a Secret cannot make us read files or run commands', () => {
    const plugin = { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: '/bin/sh' } };
    for (const user of [plugin, { tokenFile: '/etc/passwd' }, { 'client-certificate': '/a', 'client-key': '/b' }]) {
      expect(() => parseKubeconfig(kubeconfig(user))).toThrow('not allowed here');
    }
    const cluster = { server: 'https://host', 'certificate-authority': '/etc/passwd' };
    expect(() => parseKubeconfig(kubeconfig({ token: 't' }, cluster))).toThrow('not allowed here');
  });

  test.each([
    ['a proxy', kubeconfig({ token: PLANTED }, { server: 'https://host', 'proxy-url': 'http://p' }), 'proxy-url'],
    ['credentials in the URL', kubeconfig({}, { server: `https://u:${PLANTED}@host` }), 'holds credentials'],
    ['no URL', kubeconfig({}, { server: PLANTED }), 'no http or https URL'],
    ['a certificate without its key', kubeconfig({ 'client-certificate-data': base64(PLANTED) }), 'without its key'],
    [
      'data that is no base64',
      kubeconfig({ 'client-key-data': `${PLANTED}!`, 'client-certificate-data': 'eA==' }),
      'no base64',
    ],
    ['a token that is a list', kubeconfig({ token: [PLANTED] }), 'malformed at users'],
    ['an auth-provider', kubeconfig({ 'auth-provider': { name: 'gcp', config: { token: PLANTED } } }), 'use exec'],
    ['broken YAML', `users: [\n  token: "${PLANTED}\n`, 'no valid YAML'],
    ['a text', PLANTED, 'malformed at its top'],
    ['nothing', '', 'malformed at its top: it is empty'],
  ])('with %s is refused in words that hold nothing of its content', (_, content, words) => {
    let message = '';
    try {
      parseKubeconfig(content, { trust: 'files' });
    } catch (error) {
      expect(error).toBeInstanceOf(KubeconfigError);
      message = `${String(error)} ${JSON.stringify(error)}`;
    }
    expect(message).toContain(words);
    expect(message).not.toContain(PLANTED);
    expect(message).not.toContain(base64(PLANTED));
  });
});

describe('with files', () => {
  let directory = '';
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'keyturn-kubeconfig-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  test('a kubeconfig file names others relative to itself', () => {
    const file = join(directory, 'config');
    writeFileSync(
      file,
      kubeconfig({ tokenFile: 'token' }, { server: 'https://host', 'certificate-authority': '/ca.crt' }),
    );
    expect(loadKubeconfig(file)).toMatchObject({
      token: { file: join(directory, 'token') },
      certificateAuthority: { file: '/ca.crt' },
    });
    expect(() => loadKubeconfig(join(directory, 'none'))).toThrow(/: there is no such file \(ENOENT\)$/);
  });

  test('a pod finds its service account, and a process elsewhere none', () => {
    const env = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };
    expect(inClusterConfig(env, directory)).toBeUndefined();
    writeFileSync(join(directory, 'token'), 't');
    writeFileSync(join(directory, 'namespace'), 'kcp-system');
    expect(inClusterConfig(env, directory)).toEqual({
      server: 'https://[fd00::1]:443',
      certificateAuthority: { file: join(directory, 'ca.crt') },
      insecureSkipTlsVerify: false,
      token: { file: join(directory, 'token') },
      namespace: 'kcp-system',
    });
    expect(inClusterConfig({}, directory)).toBeUndefined();
  });
});
