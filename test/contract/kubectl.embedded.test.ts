import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { crds, toYaml } from '../../src/api/manifests.ts';
import { type EmbeddedCluster, startCluster } from '../../src/sandbox/api-server/start-cluster.ts';
import { kindsSeenFromNowOn } from './record-kinds.ts';
import { unrecorded } from './unrecorded.ts';

/** A person's own kubectl against an embedded API server. One command leads to the next, so the order matters. */
const isThere = spawnSync('kubectl', ['version', '--client']).status === 0;
const folder = mkdtempSync(join(tmpdir(), 'keyturn-kubectl-'));
const kubeconfig = join(folder, 'kubeconfig.yaml');
const kinds = kindsSeenFromNowOn();
let cluster: EmbeddedCluster;

beforeAll(async () => {
  cluster = await startCluster({ name: 'kubectl' });
  writeFileSync(kubeconfig, cluster.kubeconfig, { mode: 0o600 });
});
afterAll(async () => {
  await cluster?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function kubectl(args: string, input = '') {
  // Its cache of what it discovered is below the home folder.
  const child = spawn('kubectl', args.split(' '), { env: { ...process.env, HOME: folder, KUBECONFIG: kubeconfig } });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (more: string) => {
      text += more;
    });
  }
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, text };
}

const domain = (delay: string) => `
apiVersion: keyturn.kyma-project.io/v1alpha1
kind: TrustDomain
metadata: { name: one, labels: { a: b } }
spec: { probe: { delay: ${delay} } }
`;
const secret = (value: string) => `
apiVersion: v1
kind: Secret
metadata: { name: one }
stringData: { a: ${value} }
`;
const ready = JSON.stringify({
  status: {
    conditions: [
      { type: 'Ready', status: 'True', reason: 'Fine', message: '', lastTransitionTime: '2030-01-01T00:00:00Z' },
    ],
  },
});

describe.skipIf(!isThere)('kubectl (left out where there is none on the PATH)', () => {
  test.each<[args: string, says: RegExp, input?: string, code?: number]>([
    ['apply -f -', /trustdomains.keyturn.kyma-project.io created/, toYaml(crds())],
    ['wait --for=condition=Established crd --all', /trustdomains.* condition met/],
    ['api-resources', /trustdomains +td +keyturn.kyma-project.io\/v1alpha1 +true +TrustDomain/],
    ['apply -f -', /trustdomain.keyturn.kyma-project.io\/one created/, domain('2s')],
    ['apply -f -', /trustdomain.keyturn.kyma-project.io\/one configured/, domain('3s')],
    ['apply -f -', /trustdomain.keyturn.kyma-project.io\/one unchanged/, domain('3s')],
    ['diff -f -', /^\+ +delay: 4s$/m, domain('4s'), 1],
    ['apply -f -', /strict decoding error: unknown field "spec.probes"/, domain('3s').replace('probe:', 'probes:'), 1],
    ['apply --server-side --field-manager=me -f -', /conflict with "kubectl-client-side-apply"/, domain('4s'), 1],
    ['apply --server-side -f -', /one serverside-applied/, domain('4s')],
    ['apply --server-side --force-conflicts -f -', /one serverside-applied/, domain('4s')],
    ['apply -f -', /secret\/one created/, secret('b')],
    ['apply -f -', /secret\/one configured/, secret('c')],
    ['apply --server-side --force-conflicts -f -', /secret\/one serverside-applied/, secret('d')],
    ['replace -f -', /secret\/one replaced/, secret('e')],
    ['get trustdomains', /^NAME +READY +RUNTIMES +BUNDLE +CURRENT +WAITS +AGE\none /],
    ['get td -A -o wide', /NAMESPACE +NAME .* REASON +NEXT/],
    ['get td one', /^one /m],
    ['get td,runtimetrusts,secrets -l a=b', /one/],
    ['get secret one -o yaml', /^ {2}a: ZQ==$/m],
    ['get pods,services,events,leases,ns,crd,sa', /namespace\/kube-system/],
    ['get td --chunk-size=1', /one/],
    ['describe td one', /Delay: +4s/],
    ['describe secret one', /a: +1 bytes/],
    ['describe ns default', /Status: +Active/],
    ['explain trustdomain.spec.probe', /How the gateway is asked/],
    ['patch td one --type merge -p {"spec":{"paused":true}}', /patched/],
    ['patch td one --type json -p [{"op":"remove","path":"/spec/paused"}]', /patched/],
    ['patch secret one -p {"data":{"c":"ZA=="}}', /patched/],
    ['wait td/one --for=condition=Ready --timeout=50ms', /timed out waiting/, '', 1],
    [`patch td one --subresource=status --type merge -p ${ready}`, /patched/],
    ['wait td/one --for=condition=Ready --timeout=5s', /condition met/],
    ['wait td/one --for=jsonpath={.spec.probe.delay}=4s --timeout=5s', /condition met/],
    ['label td one z=y', /labeled/],
    ['annotate td one z=y', /annotated/],
    ['create secret generic two --from-literal=a=b', /secret\/two created/],
    ['create ns other', /namespace\/other created/],
    ['create sa one', /serviceaccount\/one created/],
    ['create configmap one --from-literal=a=b', /configmap\/one created/],
    ['create rolebinding one --clusterrole=view --serviceaccount=default:one', /created/],
    ['create token one', /^\S+\.\S+\.\S+$/],
    ['create -f - --dry-run=server', /created \(server dry run\)/, domain('1s').replace('one', 'dry')],
    ['auth can-i list secrets', /^yes$/m],
    ['auth whoami', /Username +admin/],
    ['delete secret two', /secret "two" deleted/],
    ['delete td -l a=b', /"one" deleted/],
    ['delete -f - --ignore-not-found', /^$/, domain('1s')],
    ['delete secrets,configmaps --all', /secret "one" deleted/],
    ['wait --for=delete secret/one --timeout=1s', /^$/],
    ['delete ns other --wait=false', /namespace "other" deleted/],
    ['get td none', /trustdomains.keyturn.kyma-project.io "none" not found/, '', 1],
    ['get --raw /readyz', /^ok$/],
  ])('%s', async (args, says, input, code = 0) => {
    const answer = await kubectl(args, input);
    expect(answer).toEqual({ code, text: expect.stringMatching(says) });
  });

  test('get --watch shows what happens, until it is stopped', async () => {
    const watching = kubectl('get configmaps --watch-only --request-timeout=3s -o name');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await kubectl('create configmap later');
    expect((await watching).text).toContain('configmap/later');
  });

  test('sends no request of a kind that is not in the contract', async () => {
    expect(await unrecorded(kinds)).toEqual([]);
  });
});
