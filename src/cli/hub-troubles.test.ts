import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runtimeRbac, userRoles } from '../api/rbac.ts';
import { trustDomainDefaults } from '../api/trust-domain.ts';
import { plantRoot } from '../checker/planted-certificates.ts';
import type { Resource } from '../kubernetes/resource.ts';
import { SECRET, type SecretObject } from '../kubernetes/resource.ts';
import { onRequestSeen } from '../sandbox/api-server/request-seen.ts';
import { kubeconfigOf } from '../sandbox/api-server/start-cluster.ts';
import { applyManifest, tokenKubeconfig } from '../sandbox/install.ts';
import { runProgram } from './program.ts';
import { type Ran, type StagedHub, stageHub } from './staged-hub.ts';

/** The commands where something is not as it should be. One thing leads to the next, so the order matters. */
let hub: StagedHub;
const folder = mkdtempSync(join(tmpdir(), 'keyturn-troubles-'));
const call = { signal: new AbortController().signal };
const owner = { ...call, fieldManager: 'test', force: true };
const kcp = 'kcp-system';
const gatewayRef = { namespace: 'istio-system', name: 'klm-istio-gateway' };
const needHub = ['status', 'plan', 'verify', 'explain runtime-1', 'rotate', 'pause', 'taint abcdef'];

beforeAll(async () => {
  hub = await stageHub(['runtime-1', 'runtime-2']);
  await hub.settled();
}, 90_000);
afterAll(async () => {
  await hub?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const run = (args: string): Promise<Ran> => hub.run(args.split(' '));

/** Runs a command as its user does, by a kubeconfig. */
async function runBy(kubeconfig: string, args: string): Promise<Ran> {
  const file = join(folder, 'kubeconfig.yaml');
  writeFileSync(file, kubeconfig);
  const ran = { text: '', errors: '' };
  const code = await runProgram([...args.split(' '), '--kubeconfig', file], {
    loadOperator: () => Promise.reject(new Error('no operator is asked for here')),
    write: (text) => {
      ran.text += text;
    },
    writeError: (text) => {
      ran.errors += text;
    },
  });
  return { code, ...ran };
}

describe('a hub that cannot be used', () => {
  test('that does not answer is told as such, with what to check', async () => {
    const { caPem } = hub.world.hub.cluster;
    // Nothing listens at the port of the discard protocol.
    const nobody = kubeconfigOf({ name: 'hub', server: 'https://127.0.0.1:9', caPem, token: 'none' });
    for (const args of needHub) {
      const { code, text, errors } = await runBy(nobody, args);
      expect([code, text], args).toEqual([1, '']);
      expect(errors).toMatch(
        /^keyturn: Cannot list trustdomains\S* in kcp-system: the server cannot be reached .*: check --kubeconfig and --context, and whether the API server answers\n$/,
      );
    }
  });

  test('that has no TrustDomain there is told where there are some', async () => {
    for (const args of needHub) {
      const { code, errors } = await run(`${args} -n default`);
      expect(code, args).toBe(1);
      expect(errors).toBe(
        'keyturn: No TrustDomain is in the namespace default: there are some in kcp-system, name the namespace with -n\n',
      );
    }
  });

  test('that does not know the kind is told how to install it', async () => {
    const runtime = hub.world.runtimes.get('runtime-1')?.cluster.kubeconfig ?? '';
    expect((await runBy(runtime, 'verify')).errors).toMatch(
      /does not know TrustDomains: check --context, or install them with keyturn crds \| kubectl apply -f -\n/,
    );
  });

  test('that allows nothing is told which right is missing', async () => {
    const { errors } = await runBy(await accountOf('stranger', []), 'verify');
    expect(errors).toMatch(
      /^keyturn: Cannot list trustdomains\S* in kcp-system: .*forbidden.*: ask for this right, or choose another user with --context\n$/,
    );
  });

  test('that lets one only view is enough for status and explain, and not for what reads Secrets', async () => {
    const viewer = await accountOf(
      'viewer',
      userRoles()
        .flatMap(({ rules }) => (rules as readonly { readonly verbs: readonly string[] }[]) ?? [])
        .slice(0, 1),
    );
    expect((await runBy(viewer, 'status')).code).toBe(0);
    expect((await runBy(viewer, 'explain runtime-1')).code).toBe(0);
    for (const args of ['plan', 'verify']) {
      const { code, text, errors } = await runBy(viewer, args);
      expect([code, text], args).toEqual([1, '']);
      expect(errors, args).toMatch(/: ask for this right, or choose another user with --context\n$/);
    }
  });
});

describe('a command that is stopped', () => {
  const stoppedAfter = (ms: number, args: string): Promise<Ran> =>
    hub.run(args.split(' '), { signal: AbortSignal.timeout(ms) });

  test('ends with 130 and says nothing where it has an end of its own', async () => {
    const { code, text, errors } = await stoppedAfter(200, 'verify --for 1h');
    expect([code, text, errors]).toEqual([130, '', '']);
    const rotating = await stoppedAfter(200, 'rotate --wait --timeout 1h -d klm-watcher');
    expect(rotating.code).toBe(130);
    expect(rotating.errors).toMatch(
      /The rotation goes on without this command: follow it with keyturn status --watch\n$/,
    );
    await hub.until('the root that was asked for is there', async () => (await run('status')).text.includes('Settled'));
  });

  test('ends with 0 where it goes on until it is stopped', async () => {
    const { code, text, errors } = await stoppedAfter(500, 'status --watch -o name');
    expect([code, errors]).toEqual([0, '']);
    expect(text).toContain('runtimetrust/runtime-1');
  });
});

describe('a runtime', () => {
  test('that may only be read, not watched, is read every second', async () => {
    await restrict('runtime-1');
    const { namespace, name } = trustDomainDefaults().runtimes.secret;
    let reads = 0;
    const uncounted = onRequestSeen(({ username, method, path }) => {
      // To the others one goes as their administrator.
      if (!username.startsWith('system:serviceaccount:')) return;
      if (method === 'GET' && path === `/api/v1/namespaces/${namespace}/secrets/${name}`) reads += 1;
    });
    const { code, text, errors } = await run('verify runtime-1 --for 2500ms -o json');
    uncounted();
    expect(errors).toBe('');
    expect(JSON.parse(text)).toMatchObject({ ok: true, runtimes: 1, violations: [], unseen: [] });
    expect(code).toBe(0);
    // At the start, after one second and after two, and at the end.
    expect(reads).toBeGreaterThanOrEqual(4);
  });

  test('that does not answer leaves the judgement open, and the others are judged', async () => {
    await hub.world.runtimes.get('runtime-2')?.cluster.unplug();
    for (const args of ['verify -o json', 'verify --for 500ms -o json']) {
      const { code, text } = await run(args);
      expect(code, args).toBe(5);
      const { ok, violations, unseen, judged } = JSON.parse(text);
      expect([ok, violations], args).toEqual([false, []]);
      expect(unseen.map(({ cluster }: { cluster: string }) => cluster)).toContain('runtime-2');
      expect(judged.S1, args).toBeGreaterThan(0);
    }
    expect((await run('verify')).text).toMatch(/^Not seen: .* of runtime-2: .*cannot be reached/m);
    await hub.world.runtimes.get('runtime-2')?.cluster.plugIn();
    await hub.settled();
  });
});

describe('a violation', () => {
  test('is found from outside, named, and the exit code says so', async () => {
    await hub.stopOperator();
    const { client } = hub.world.hub;
    const before = await client.get<SecretObject>(SECRET, gatewayRef, call);
    const other = await plantRoot('other');
    const data = { 'ca.crt': Buffer.from(other.pem).toString('base64') };
    await client.mergePatch(SECRET, gatewayRef, { data }, owner);
    for (const args of ['verify', 'verify --for 500ms']) {
      const { code, text } = await run(`${args} -o json`);
      expect(code, args).toBe(3);
      const { ok, violations } = JSON.parse(text);
      expect(ok).toBe(false);
      expect(
        violations.map(({ rule, who }: { rule: string; who: string }) => [rule, /^runtime-\d/.test(who)]),
      ).toContainEqual(['S1', true]);
      expect((await run(`${args} -o name`)).text).toBe('runtimetrust/runtime-1\nruntimetrust/runtime-2\n');
      const table = await run(args);
      expect(table.code).toBe(3);
      expect(table.text).toMatch(/^RULE +WHO +WHAT$/m);
      expect(table.text).toMatch(/^S1 +runtime-1 at /m);
    }
    await client.mergePatch(SECRET, gatewayRef, { data: before.data }, owner);
    expect((await run('verify')).code).toBe(0);
  });

  test('cannot be judged where the gateway has no Secret, which is told', async () => {
    await hub.world.hub.client.delete(SECRET, gatewayRef, call);
    const { code, text } = await run('verify');
    expect(code).toBe(5);
    expect(text).toMatch(/^Not seen: Secret istio-system\/klm-istio-gateway of hub: it does not exist$/m);
    const plan = await run('plan');
    expect([plan.code, plan.errors]).toEqual([0, '']);
    expect(plan.text).toMatch(/gateway: .*(restor|lost|again)/i);
  });
});

describe('a hub that goes away', () => {
  test('is told by status --watch, and that it is back', async () => {
    const stopping = new AbortController();
    const ran = hub.begin(['status', '--watch', '-o', 'name'], { signal: stopping.signal });
    await hub.until('the status is shown', async () => ran.sofar().text !== '');
    await hub.world.hub.cluster.unplug();
    const seen = (words: string) => hub.until(words, async () => ran.sofar().errors.includes(words));
    await seen('trying again');
    expect(ran.sofar().errors).toMatch(/^The hub has not answered since \d\d:\d\d:\d\d \(.+\): trying again\n$/);
    await hub.world.hub.cluster.plugIn();
    await seen('The hub answers again\n');
    stopping.abort();
    expect((await ran.end).code).toBe(0);
  }, 30_000);
});

/** A kubeconfig of a person who has these rights in the namespace of the trust domain, and no others. */
async function accountOf(name: string, rules: readonly object[]): Promise<string> {
  const { client } = hub.world.hub;
  const metadata = { name, namespace: kcp };
  const rbac = (plural: string, kind: string): Resource => ({
    group: 'rbac.authorization.k8s.io',
    version: 'v1',
    plural,
    kind,
    namespaced: true,
  });
  const account: Resource = {
    group: '',
    version: 'v1',
    plural: 'serviceaccounts',
    kind: 'ServiceAccount',
    namespaced: true,
  };
  await client.apply(account, { metadata }, owner);
  await client.apply(rbac('roles', 'Role'), { metadata, rules }, owner);
  const binding = {
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
    subjects: [{ kind: 'ServiceAccount', ...metadata }],
  };
  await client.apply(rbac('rolebindings', 'RoleBinding'), binding, owner);
  return tokenKubeconfig(hub.world.hub, kcp, call, name);
}

/** The hub reaches the runtime with the published rights and no others from now on. */
async function restrict(runtime: string): Promise<void> {
  const place = hub.world.runtimes.get(runtime);
  if (place === undefined) throw new Error(`No runtime ${runtime}`);
  for (const manifest of runtimeRbac(trustDomainDefaults())) await applyManifest(place.client, manifest, call);
  const config = Buffer.from(
    await tokenKubeconfig(place, trustDomainDefaults().runtimes.secret.namespace, call),
  ).toString('base64');
  const ref = { namespace: kcp, name: `kubeconfig-${runtime}` };
  await hub.world.hub.client.mergePatch(SECRET, ref, { data: { config } }, owner);
}
