import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { crds } from '../../src/api/manifests.ts';
import { type EmbeddedCluster, startCluster } from '../../src/sandbox/api-server/start-cluster.ts';
import { kindSeen } from './record-kinds.ts';

const recordedFile = fileURLToPath(new URL('recorded-kinds.json', import.meta.url));

const manifests = (delay: string): string => `
apiVersion: v1
kind: Namespace
metadata: { name: shell }
---
apiVersion: keyturn.kyma-project.io/v1alpha1
kind: TrustDomain
metadata: { name: one, namespace: shell }
spec: { probe: { delay: ${delay} } }
---
apiVersion: v1
kind: Secret
metadata: { name: one, namespace: shell }
stringData: { delay: ${delay} }
`;

/** Nothing in the project needs kubectl; where there is one, it must get along with the embedded API server. */
describe.skipIf(!isInstalled('kubectl'))('kubectl', () => {
  let cluster: EmbeddedCluster;
  let folder: string;
  const kinds = new Set<string>();

  beforeAll(async () => {
    cluster = await startCluster({ name: 'shell', crds: crds() });
    cluster.onRequest((seen) => kinds.add(kindSeen(seen)));
    folder = await mkdtemp(join(tmpdir(), 'keyturn-kubectl-'));
    await writeFile(join(folder, 'kubeconfig'), cluster.kubeconfig, { mode: 0o600 });
  });
  afterAll(async () => {
    await cluster?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const kubectl = async (...args: readonly string[]): Promise<string> => {
    const paths = [`--kubeconfig=${join(folder, 'kubeconfig')}`, `--cache-dir=${join(folder, 'cache')}`];
    return new Promise((resolve, reject) => {
      execFile('kubectl', [...paths, ...args], { timeout: 30_000 }, (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(new Error(`kubectl ${args.join(' ')} failed: ${stderr}`));
      });
    });
  };
  const apply = async (delay: string, ...args: readonly string[]): Promise<string> => {
    const file = join(folder, 'manifests.yaml');
    await writeFile(file, manifests(delay));
    return kubectl('apply', '-f', file, ...args);
  };

  test('applies what is new, what has changed and what has not', async () => {
    expect(await apply('2s')).toContain('trustdomain.keyturn.kyma-project.io/one created');
    const changed = await apply('3s');
    expect(changed).toContain('trustdomain.keyturn.kyma-project.io/one configured');
    expect(changed).toContain('secret/one configured');
    expect(await apply('3s')).toContain('trustdomain.keyturn.kyma-project.io/one unchanged');
  });

  test('applies on the server', async () => {
    expect(await apply('4s', '--server-side', '--force-conflicts')).toContain('one serverside-applied');
  });

  test('lists resources, and gets by kind, short name, category and label', async () => {
    expect(await kubectl('api-resources')).toMatch(/^trustdomains +td +keyturn\.kyma-project\.io\/v1alpha1 +true +TrustDomain/m);
    expect(await kubectl('get', 'td', '-n', 'shell')).toMatch(/^NAME +READY +RUNTIMES/);
    expect(await kubectl('get', 'keyturn', '-A')).toContain('one');
    expect(await kubectl('get', 'secret', 'one', '-n', 'shell')).toMatch(/^one +Opaque +1/m);
    expect(await kubectl('get', 'td', '-A', '-l', 'a=b')).toBe('');
    expect(await kubectl('get', 'td', 'one', '-n', 'shell', '-o', 'jsonpath={.spec.probe.delay}')).toBe('4s');
    expect(await kubectl('get', 'td', '-n', 'shell', '-o', 'yaml')).toContain('kind: TrustDomain');
  });

  test('describes', async () => {
    expect(await kubectl('describe', 'td', 'one', '-n', 'shell')).toMatch(/Kind: +TrustDomain/);
    expect(await kubectl('describe', 'secret', 'one', '-n', 'shell')).toContain('delay');
  });

  test('patches, labels and annotates', async () => {
    await kubectl('label', 'td', 'one', '-n', 'shell', 'a=b');
    await kubectl('annotate', 'secret', 'one', '-n', 'shell', 'a=b');
    await kubectl('patch', 'td', 'one', '-n', 'shell', '--type=merge', '-p', '{"spec":{"paused":true}}');
    await kubectl('patch', 'td', 'one', '-n', 'shell', '--type=json', '-p', '[{"op":"remove","path":"/spec/paused"}]');
    await kubectl('patch', 'secret', 'one', '-n', 'shell', '-p', '{"stringData":{"b":"c"}}');
    expect(await kubectl('get', 'td', '-A', '-l', 'a=b', '-o', 'name')).toContain('one');
  });

  test('watches and waits', async () => {
    const waiting = kubectl('wait', 'td/one', '-n', 'shell', '--for=jsonpath={.spec.paused}=true', '--timeout=20s');
    const watching = kubectl('get', 'td', 'one', '-n', 'shell', '-w', '--request-timeout=4s').catch(() => '');
    await kubectl('patch', 'td', 'one', '-n', 'shell', '--type=merge', '-p', '{"spec":{"paused":true}}');
    expect(await waiting).toContain('condition met');
    await watching;
  });

  test('deletes, and waits until it is done', async () => {
    expect(await kubectl('delete', 'td', 'one', '-n', 'shell')).toContain('deleted');
    expect(await kubectl('delete', 'secrets', '--all', '-n', 'shell')).toContain('deleted');
    expect(await kubectl('auth', 'can-i', 'get', 'secrets')).toContain('yes');
  });

  test('makes no request of a kind that is not recorded', async () => {
    const recorded = JSON.parse(await readFile(recordedFile, 'utf8')) as readonly string[];
    if (process.env['KEYTURN_KEEP_KINDS'] === '1') {
      const all = [...new Set([...recorded, ...kinds])].sort();
      await writeFile(recordedFile, `${JSON.stringify(all, null, 2)}\n`);
      return;
    }
    expect(recorded).toEqual(expect.arrayContaining([...kinds]));
  });
});

function isInstalled(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
