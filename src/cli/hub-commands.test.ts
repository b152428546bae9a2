import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { kindsSeenFromNowOn } from '../../test/contract/record-kinds.ts';
import { unrecorded } from '../../test/contract/unrecorded.ts';
import { GARDENER_CERTIFICATE } from '../api/names.ts';
import { CUSTOM_RESOURCE_DEFINITION, SECRET, type SecretObject } from '../kubernetes/resource.ts';
import type { Ran, RunMore, StagedHub } from './staged-hub.ts';
import { stageHub } from './staged-hub.ts';

/** The commands against an embedded hub with an operator at work. One thing leads to the next, so the order matters. */
let hub: StagedHub;
const fleet = ['runtime-1', 'runtime-2', 'runtime-3'];
const outputs: string[] = [];
const kinds = kindsSeenFromNowOn();
const call = { signal: new AbortController().signal };
const owner = { ...call, fieldManager: 'test', force: true };

beforeAll(async () => {
  hub = await stageHub(fleet);
  await hub.settled();
}, 90_000);
afterAll(() => hub?.stop());

async function run(args: string, more?: RunMore): Promise<Ran> {
  const ran = await hub.run(args.split(' '), more);
  outputs.push(ran.text, ran.errors);
  return ran;
}
const root = async (): Promise<string> => (await hub.domain()).status?.root?.digest ?? '';

describe('a settled fleet', () => {
  test('status shows it as a table, for programs, and as names', async () => {
    const table = await run('status');
    expect([table.code, table.errors]).toEqual([0, '']);
    expect(table.text).toContain('TrustDomain kcp-system/klm-watcher: Settled');
    expect(table.text).toMatch(/^RUNTIME +READY +REASON +ROOTS +PROOF +WAITS$/m);
    expect(table.text).toMatch(/^runtime-2 +True +Settled +1 +delivered +-$/m);
    expect((await run('status -o wide')).text).toMatch(/CLIENT ENDS +CLUSTER$/m);
    const [only] = JSON.parse((await run('status -o json')).text);
    expect([only.trustDomain.kind, only.runtimes.length]).toEqual(['TrustDomain', 3]);
    expect(parse((await run('status -o yaml')).text)).toEqual([only]);
    expect((await run('status -o name')).text.split('\n')).toEqual([
      'trustdomain/klm-watcher',
      ...fleet.map((name) => `runtimetrust/${name}`),
      '',
    ]);
  });

  test('status --watch shows it anew after a change, until it is stopped', async () => {
    const stopping = new AbortController();
    const watching = hub.run(['status', '-o', 'json', '--watch'], { signal: stopping.signal });
    await run('pause');
    await run('resume');
    setTimeout(() => stopping.abort(), 1_500);
    const { code, text } = await watching;
    expect(code).toBe(0);
    const shown = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)[0].trustDomain.spec.paused as boolean);
    expect(shown.length).toBeGreaterThan(1);
    expect(shown.at(-1)).toBe(false);
  });

  test('plan says that nothing is to be done, and plays a rotation through to its end', async () => {
    const { code, text } = await run('plan -o json');
    expect(code).toBe(0);
    const { next, rotation } = JSON.parse(text);
    expect(next.gateway).toMatchObject({ action: null, waits: [], waitsFor: [], kept: [] });
    expect(next.runtimes).toEqual([{ what: 'in order', reasons: [], names: fleet }]);
    expect(rotation).toMatchObject({ settles: true, refused: [], heldUpBy: [], waves: 2 });
    expect(rotation.issuer).toMatchObject({ from: 'CertificateRequests' });
    expect(rotation.issuer.perSecond).toBeGreaterThan(0);
    expect((await run('plan')).text).toMatch(
      /Everything is on the new root after about .*, and the older roots have left/,
    );
    expect(JSON.parse((await run('plan --hub-only -o json')).text).rotation.settles).toBe(true);
  });

  test('explain tells of a runtime in sentences', async () => {
    const { code, text } = await run('explain runtime-1');
    expect(code).toBe(0);
    expect(text).toContain('Runtime runtime-1 of TrustDomain klm-watcher is in order');
    expect(text).toMatch(/It has a bundle of 1 root, the whole bundle of the gateway/);
    expect(text).toMatch(/is signed by the current root and ends in \d+ d\./);
    expect(text).toContain('the propagation delay (300ms) has passed since');
    expect(text).toContain('It waits for nothing.');
    expect((await run('explain runtimetrust/runtime-1')).text).toContain('Runtime runtime-1 of TrustDomain');
  });

  test('verify finds nothing, looked at once and watched', async () => {
    const once = await run('verify -o json');
    expect(once.code).toBe(0);
    expect(JSON.parse(once.text)).toMatchObject({
      ok: true,
      runtimes: 3,
      judged: { S1: 3, S2: 3, S3: 3 },
      violations: [],
      unseen: [],
    });
    const watched = await run('verify runtimetrust/runtime-1 --for 1s -o json');
    expect(watched.code).toBe(0);
    expect(JSON.parse(watched.text)).toMatchObject({ ok: true, runtimes: 1, seconds: 1, violations: [] });
  });

  test('who is not there is told, with what to do next', async () => {
    const runtime = await run('explain nobody');
    expect([runtime.code, runtime.text]).toEqual([1, '']);
    expect(runtime.errors).toBe(
      'keyturn: No runtime "nobody" belongs to klm-watcher: keyturn status --all names them\n',
    );
    expect((await run('status -d other')).errors).toMatch(/No TrustDomain "other" .* there are klm-watcher\n/);
    expect((await run('status -n default')).errors).toMatch(
      /there are some in kcp-system, name the namespace with -n\n/,
    );
    expect((await run('taint abcdef')).errors).toMatch(
      /No root of TrustDomain begins with "abcdef": the roots are \w+\n/,
    );
    expect((await run('taint abcde')).errors).toMatch(/"abcde" is too short to name a root: give at least 6 digits/);
    expect((await run('taint klm')).errors).toMatch(/"klm" names no root: /);
    expect((await run('verify nobody')).errors).toMatch(/No runtime nobody belongs to the fleet/);
    for (const args of ['verify --for soon', 'rotate --wait --timeout soon']) {
      const { code, errors } = await run(args);
      expect(code).toBe(2);
      expect(errors).toMatch(/argument 'soon' is invalid\. Write a duration such as 90s, 10m or 2h\./);
    }
  });
});

describe('what a person sets', () => {
  test('pause and resume set spec.paused, and nothing twice', async () => {
    expect((await run('pause')).text).toMatch(/^TrustDomain klm-watcher is paused: /);
    expect((await hub.domain()).spec.paused).toBe(true);
    expect((await run('pause')).text).toBe('TrustDomain klm-watcher was paused already\n');
    expect((await run('plan')).text).toContain('The TrustDomain is paused.');
    expect((await run('resume')).text).toBe('TrustDomain klm-watcher goes on\n');
    expect((await hub.domain()).spec.paused).toBe(false);
    expect((await run('resume')).text).toBe('TrustDomain klm-watcher was not paused\n');
  });

  test('taint puts the key of a root into the spec, beside what stands there, and takes it back', async () => {
    const digest = await root();
    const tainted = await run(`taint ${digest.slice(0, 8)} --reason leaked`);
    expect(tainted.text).toMatch(/is tainted, and it is the current one/);
    const keyId = (await hub.domain()).status?.root?.keyId;
    expect((await hub.domain()).spec.tainted).toEqual([{ publicKey: keyId, reason: 'leaked' }]);
    const other = 'ab'.repeat(32);
    await run(`taint ${other}`);
    expect((await hub.domain()).spec.tainted).toHaveLength(2);
    expect((await run(`taint ${other}`)).text).toMatch(/was already tainted\n/);
    expect((await run(`taint ${other} --reason lost`)).text).toMatch(
      /was already tainted; its reason is another now\n/,
    );
    expect((await hub.domain()).spec.tainted[1]).toEqual({ publicKey: other, reason: 'lost' });
    expect((await run(`taint ${other} --reason lost`)).text).toMatch(/was already tainted\n/);
    await hub.until('the status tells of it', async () => (await run('status')).text.includes(': RootTainted'));
    const { text } = await run('status');
    expect(text).toMatch(/root +\w{12} \(tainted\)/);
    expect(text).toMatch(/tainted +3 of 3 runtimes may present a certificate of a tainted root/);
    expect((await run('explain runtime-1')).text).toMatch(
      /It may present a certificate of a tainted root\. The current root is tainted, .* keyturn rotate\./,
    );
    expect((await run('plan')).text).toMatch(
      /The current root is tainted: .* Ask for a new root with keyturn rotate\./,
    );
    await run(`taint ${digest} --remove`);
    expect((await hub.domain()).spec.tainted).toEqual([{ publicKey: other, reason: 'lost' }]);
    await run(`taint ${other} --remove`);
  });

  test('the current root cannot be revoked', async () => {
    const { code, errors } = await run(`revoke ${await root()} --yes`);
    expect(code).toBe(1);
    expect(errors).toMatch(/is the current one, .* keyturn rotate --wait, then revoke this one/);
    expect((await hub.domain()).spec.revoked).toEqual([]);
  });
});

describe('a rotation', () => {
  test('of a paused trust domain begins, and status says that it goes no further', async () => {
    await run('pause');
    expect((await run('rotate')).errors).toMatch(
      /^The TrustDomain is paused: the new root enters the bundles, and nothing more/,
    );
    await hub.until('both roots are in the bundle', async () => (await hub.domain()).status?.bundle?.length === 2);
    await hub.until('the fleet waits', async () => (await hub.domain()).status?.runtimes?.bundle === 3);
    expect((await run('status')).text).toMatch(
      /^ {2}next +The TrustDomain is paused\. Set spec\.paused to false to go on\./m,
    );
    expect((await run('status')).text).not.toMatch(/goes on by itself/);
    await run('resume');
    await hub.settled();
  }, 60_000);

  test('rotate asks cert-manager, and waits until everything is on the new root', async () => {
    const before = await root();
    const { code, text, errors } = await run('rotate --wait');
    expect(code).toBe(0);
    expect(text).toMatch(/^cert-manager was asked to issue Certificate istio-system\/klm-watcher-serving again\n/);
    expect(text).toMatch(/Everything is on root \w{12} after [\d.]+ s\n$/);
    expect(errors).toContain('Waiting for the new root\n');
    expect(errors).toMatch(/Runtimes: \d of 3 have the bundle, \d of 3 their certificate/);
    expect(await root()).not.toBe(before);
    expect((await run('verify')).code).toBe(0);
  }, 60_000);

  test('plan and status name a runtime that holds it up, and verify what it could not see', async () => {
    await hub.world.runtimes.get('runtime-2')?.cluster.unplug();
    const planned = await run('plan -o json');
    const { next, rotation } = JSON.parse(planned.text);
    expect(rotation.settles).toBe(false);
    expect(rotation.heldUpBy).toEqual([{ name: 'runtime-2', reason: 'RuntimeUnreachable' }]);
    expect(next.runtimes).toContainEqual({
      what: 'a delivery waits',
      reasons: ['RuntimeUnreachable'],
      names: ['runtime-2'],
    });
    expect((await run('plan')).text).toMatch(
      /The switch would wait for runtime-2: The cluster of the runtime does not answer/,
    );

    const oldRoot = await root();
    expect((await run('rotate')).code).toBe(0);
    await hub.until('the candidate waits for runtime-2 alone', async () => {
      const { candidate, runtimes } = (await hub.domain()).status ?? {};
      return candidate?.waitsFor.join() === 'runtime-2' && runtimes?.current === 2;
    });
    expect(JSON.parse((await run('plan -o json')).text).next.gateway.waitsFor).toEqual(['runtime-2']);
    expect((await run('status')).text).toMatch(/waits for 1 of the runtimes/);
    expect((await run('explain runtime-2')).text).toContain('The next server certificate waits for it.');

    const blind = await run('verify -o json');
    expect(blind.code).toBe(5);
    expect(JSON.parse(blind.text)).toMatchObject({ ok: false, violations: [], unseen: [{ cluster: 'runtime-2' }] });

    const alone = await run(`revoke ${oldRoot.slice(0, 10)}`);
    expect(alone.code).toBe(1);
    expect(alone.errors).toMatch(/1 may refuse the gateway then, .*: runtime-2\n/);
    // Beside it whoever got another pair a moment ago and may still use the one before.
    expect(alone.errors).toMatch(/[1-3] may present a client certificate of it, .*: .*runtime-2/);
    expect(alone.errors).toMatch(/Nobody can be asked here: .* --yes/);
    const unseen = await run('verify -o name');
    expect([unseen.code, unseen.text]).toEqual([5, '']);
    expect(unseen.errors).toMatch(/no verdict, since 1 runtime \(runtime-2\) could not be looked at\. /);
    expect(await run(`revoke ${oldRoot.slice(0, 10)}`, { answer: null })).toMatchObject({
      code: 1,
      errors: expect.stringMatching(/Nothing was changed\n$/),
    });
    expect(await run(`revoke ${oldRoot.slice(0, 10)}`, { answer: 'interrupted' })).toMatchObject({
      code: 130,
      errors: expect.stringMatching(/Nothing was changed\n$/),
    });
    expect((await run(`revoke ${oldRoot.slice(0, 10)}`, { answer: 'no' })).errors).toMatch(/Nothing was changed\n$/);
    expect((await hub.domain()).spec.revoked).toEqual([]);

    const agreed = await run(`revoke ${oldRoot.slice(0, 10)} --reason leaked`, { answer: 'yes' });
    expect([agreed.code, agreed.text]).toEqual([0, expect.stringMatching(/^Root \w+ is revoked: /)]);
    expect((await hub.domain()).spec.revoked).toEqual([{ publicKey: expect.any(String), reason: 'leaked' }]);
    expect((await run(`revoke ${(await hub.domain()).spec.revoked[0]?.publicKey}`)).text).toMatch(
      /was revoked already/,
    );
    await hub.world.runtimes.get('runtime-2')?.cluster.plugIn();
    await hub.settled();
  }, 120_000);

  test('verify finds a runtime whose bundle lacks the root of the server', async () => {
    await hub.stopOperator();
    const { client } = hub.world.runtimes.get('runtime-3') ?? {};
    const ref = { namespace: 'kyma-system', name: 'skr-webhook-tls' };
    const secret = await client?.get<SecretObject>(SECRET, ref, call);
    const stranger = await hub.world.hub.client.get<SecretObject>(
      SECRET,
      { namespace: 'istio-system', name: 'klm-istio-gateway' },
      call,
    );
    const leaf = stranger.data?.['tls.crt'] ?? '';
    await client?.mergePatch(SECRET, ref, { data: { 'ca.crt': leaf } }, { ...call, fieldManager: 'test' });
    const { code, text } = await run('verify -o json');
    expect(code).toBe(3);
    expect(JSON.parse(text).violations).toContainEqual(
      expect.objectContaining({ rule: 'S2', who: expect.stringMatching(/^runtime-3 at /) }),
    );
    expect((await run('verify')).text).toMatch(/^S2 +runtime-3 at gateway Secret +server certificate/m);
    await client?.mergePatch(SECRET, ref, { data: secret?.data }, { ...call, fieldManager: 'test' });
  });

  test('a time without a wait is refused', async () => {
    const { code, errors } = await run('rotate --timeout 5s');
    expect([code, errors]).toEqual([
      2,
      expect.stringMatching(/'--timeout <duration>' bounds a wait: give --wait as well/),
    ]);
  });

  test('rotate --wait ends with 4 when the time is up', async () => {
    const { code, errors } = await run('rotate --wait --timeout 300ms');
    expect(code).toBe(4);
    expect(errors).toMatch(/is not settled: .* wait longer with --timeout\n$/);
  });

  test('rotate asks Gardener where it issues the root, and says where nobody is known', async () => {
    const { client } = hub.world.hub;
    const certificates = '/apis/cert-manager.io/v1/namespaces/istio-system/certificates/klm-watcher-serving';
    await client.send(
      { verb: 'delete', resource: undefined, method: 'DELETE', path: certificates, query: {}, headers: {} },
      call,
    );
    const nobody = await run('rotate');
    expect(nobody.code).toBe(1);
    expect(nobody.errors).toMatch(/Nobody is known who issues the root Secret istio-system\/klm-watcher: .* tls.key/);

    await client.apply(CUSTOM_RESOURCE_DEFINITION, gardenerCrd, owner);
    const name = { namespace: 'istio-system', name: 'root' };
    const wanted = { spec: { secretRef: { name: 'klm-watcher' }, ensureRenewedAfter: '2020-01-01T00:00:00Z' } };
    await hub.until('the kind is served', () =>
      client.apply(GARDENER_CERTIFICATE, { ...wanted, metadata: name }, owner).then(
        () => true,
        () => false,
      ),
    );
    expect((await run('rotate')).text).toBe(
      'Gardener cert-management was asked to renew Certificate istio-system/root\n',
    );
    const renewed = await client.get(GARDENER_CERTIFICATE, name, call);
    expect(renewed['spec']).toEqual({ secretRef: { name: 'klm-watcher' }, renew: true });
    expect((await run('rotate')).text).toMatch(/is to renew .* already, so it was not asked again/);
    await client.delete(GARDENER_CERTIFICATE, name, call);
  });
});

const gardenerCrd = {
  metadata: { name: 'certificates.cert.gardener.cloud' },
  spec: {
    group: 'cert.gardener.cloud',
    scope: 'Namespaced',
    names: { kind: 'Certificate', listKind: 'CertificateList', plural: 'certificates', singular: 'certificate' },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        },
      },
    ],
  },
};

test('no output holds a private key or a token', () => {
  expect(outputs.length).toBeGreaterThan(50);
  const tokens = [hub.world.hub, ...hub.world.runtimes.values()].map(({ cluster }) => cluster.adminToken);
  for (const output of outputs) {
    expect(output).not.toMatch(/PRIVATE KEY|LS0tLS1CRUdJTiB/);
    for (const token of tokens) expect(output).not.toContain(token);
  }
});

test('no request was of a kind that is not in the contract of the API server', async () => {
  expect(kinds.size).toBeGreaterThan(20);
  expect(await unrecorded(kinds)).toEqual([]);
});
