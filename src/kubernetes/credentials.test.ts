import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { credentialReader } from './credentials.ts';
import type { ClusterConfig, ExecPlugin } from './kubeconfig.ts';
import { answerJson, startLoopback } from './loopback-server.ts';
import * as request from './request.ts';
import { SECRET } from './resource.ts';
import { createTransport } from './transport.ts';

const signal = new AbortController().signal;
const cluster: ClusterConfig = { server: 'https://host', insecureSkipTlsVerify: false };

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'keyturn-credentials-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

function plugin(script: string): ExecPlugin {
  const command = join(directory, 'plugin');
  writeFileSync(command, `#!/bin/sh\necho run >> ${directory}/runs\n${script}\n`);
  chmodSync(command, 0o755);
  const apiVersion = 'client.authentication.k8s.io/v1';
  return { apiVersion, command, args: [], env: { GIVEN: 'given' }, provideClusterInfo: true };
}

test('a token file is read again after a minute, and an unchanged one costs no new connections', async () => {
  const file = join(directory, 'token');
  writeFileSync(file, 'one\n');
  let nowMs = 0;
  const reader = credentialReader({ ...cluster, token: { file } }, () => nowMs);
  const first = await reader.current(signal);
  expect(first).toEqual({ authorization: 'Bearer one' });
  nowMs = 61_000;
  expect(await reader.current(signal)).toBe(first);
  writeFileSync(file, 'two');
  expect(await reader.current(signal)).toBe(first);
  nowMs = 122_000;
  expect(await reader.current(signal)).toEqual({ authorization: 'Bearer two' });
});

describe('an exec plugin', () => {
  test('is run once for many callers, gets the cluster, and again before its credential runs out', async () => {
    const expiry = new Date(100_000).toISOString();
    const status = `{"token":"'"$GIVEN"'","expirationTimestamp":"${expiry}"}`;
    const exec = plugin(`echo "$KUBERNETES_EXEC_INFO" | grep -q https://host && echo '{"status":${status}}'`);
    let nowMs = 0;
    const reader = credentialReader({ ...cluster, exec }, () => nowMs);
    const both = await Promise.all([reader.current(signal), reader.current(signal)]);
    expect(both).toEqual([{ authorization: 'Bearer given' }, { authorization: 'Bearer given' }]);
    const { readFileSync } = await import('node:fs');
    const runs = () => readFileSync(join(directory, 'runs'), 'utf8').split('\n').length - 1;
    nowMs = 69_000;
    await reader.current(signal);
    expect(runs()).toBe(1);
    nowMs = 71_000;
    await reader.current(signal);
    expect(runs()).toBe(2);
  });

  test.each([
    ['fails', 'echo planted-secret >&2; echo planted-secret; exit 3', 'failed (3)'],
    ['prints something else', 'echo planted-secret', 'printed no ExecCredential'],
    ['gives nothing', `echo '{"status":{}}'`, 'gave neither'],
  ])('that %s is named, and what it printed is not repeated', async (_, script, words) => {
    const reader = credentialReader({ ...cluster, exec: plugin(script) });
    const error = await Promise.resolve(reader.current(signal)).then(
      () => undefined,
      (reason: unknown) => reason as Error,
    );
    expect(error?.message).toContain(words);
    expect(`${error?.message} ${String(error?.cause)}`).not.toContain('planted-secret');
  });
});

describe('a 401', () => {
  test('makes the token file be read at once, and the request is sent once more', async () => {
    const file = join(directory, 'token');
    writeFileSync(file, 'old');
    await using server = await startLoopback((incoming, response) => {
      answerJson(response, incoming.headers.authorization === 'Bearer new' ? 200 : 401, {});
    });
    const transport = createTransport({ ...server.config, token: { file } });
    const get = request.get(SECRET, { namespace: 'kcp', name: 'a' });
    expect((await transport.send(get, { signal })).status).toBe(401);
    expect(server.seen).toHaveLength(1);
    writeFileSync(file, 'new');
    expect((await transport.send(get, { signal })).status).toBe(200);
    expect(server.seen).toHaveLength(3);
    await transport.close();
  });

  test('stands where the credentials cannot change', async () => {
    await using server = await startLoopback((_, response) => answerJson(response, 401, {}));
    const transport = createTransport({ ...server.config, token: { text: 'only' } });
    const get = request.get(SECRET, { namespace: 'kcp', name: 'a' });
    expect((await transport.send(get, { signal })).status).toBe(401);
    expect(server.seen).toHaveLength(1);
    await transport.close();
  });
});

test('a missing token file fails the request in words that name the file, and nothing is sent', async () => {
  await using server = await startLoopback((_, response) => answerJson(response, 200, {}));
  const transport = createTransport({ ...server.config, token: { file: join(directory, 'none') } });
  const get = request.get(SECRET, { namespace: 'kcp', name: 'a' });
  await expect(transport.send(get, { signal })).rejects.toMatchObject({
    reason: 'CredentialsFailed',
    outcome: 'refused',
    message: expect.stringContaining('ENOENT') as string,
  });
  expect(server.seen).toEqual([]);
  await transport.close();
});
