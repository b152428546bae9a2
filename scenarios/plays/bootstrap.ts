import { CERTIFICATE } from '../../src/api/names.ts';
import type { History } from '../../src/checker/history.ts';
import { joined, type Outcome } from '../../src/checker/outcome.ts';
import { systemClock } from '../../src/controller/clock.ts';
import { startClusterWatch } from '../../src/recorder/cluster-watch.ts';
import { createCa, issueLeaf } from '../../world/certificates.ts';
import { pause } from '../../world/wait.ts';
import { awaitedPairs } from '../awaited.ts';
import { awaitedReady, readDomain } from '../domain-status.ts';
import { certificatesPath, gatewaySecretPath, istioSystem } from '../hub-objects.ts';
import { type LiveRun, makeEmpty } from '../live-run.ts';
import { play, type Stage } from '../play.ts';
import { rootSource } from '../root-source.ts';
import { until } from '../until.ts';

export interface BootstrapOptions {
  readonly runtimes: number;
}

/** Both ways in which a fleet begins: (a) the root appears late, (b) somebody else's gateway Secret is there before it. */
export async function bootstrap(stage: Stage, options: BootstrapOptions): Promise<Outcome> {
  const late = await begin(stage, options, 'bootstrap (a)');
  await makeEmpty(stage.world, stage.signal);
  const foreign = await begin(stage, options, 'bootstrap (b)', () => writeForeignGateway(stage));
  return joined('bootstrap', [late, foreign]);
}

function begin(
  { world, pace, say, ...stage }: Stage,
  options: BootstrapOptions,
  scenario: string,
  beforeOperator?: () => Promise<void>,
): Promise<Outcome> {
  const runtimes = world
    .runtimes()
    .slice(0, options.runtimes)
    .map(({ name }) => name);
  const asked = new Map<string, bigint>();
  let readyMs = 0;
  return play(
    { world, pace, say, ...stage },
    {
      scenario,
      runtimes,
      ...(beforeOperator === undefined ? {} : { beforeOperator }),
      act: async (run) => {
        const { signal } = run;
        const certificates = watchCertificates(run, asked);
        await certificates.ready();
        const told = await statusWithoutRoot(run);
        say(`Without a root the status says: ${told}`);
        // Something asked for too early has the time to appear.
        await pause(pace.watchedMs, signal);
        const early = await certificatesOf(run);
        const writtenMs = performance.now();
        const rootDigest = await rootSource(world.hub.client, signal, () => 0).next('first');
        run.recorder.mark({ kind: 'first', rootDigest });
        await run.untilStanding('the first root in use everywhere', awaitedPairs);
        readyMs = Math.round(performance.now() - writtenMs);
        say(`The first root is in use everywhere ${(readyMs / 1_000).toFixed(1)} s after it was written`);
        await run.settle();
        await until('all Ready', () => awaitedReady(world, runtimes, signal), { timeoutMs: 60_000, signal });
        await pause(pace.calmMs, signal);
        await certificates.finish(5_000);
        return early.map((name) => `Certificate ${name} was asked for while there was no root`);
      },
      conclude: (history) => ({
        problems: askedTooEarly(history, asked, runtimes),
        details: { firstRootInUseEverywhereMs: readyMs },
      }),
    },
  );
}

/** Waits until the status names what is awaited. @returns that sentence */
async function statusWithoutRoot({ world, signal }: LiveRun): Promise<string> {
  let told = '';
  const look = async (): Promise<string[]> => {
    const status = (await readDomain(world, signal))?.status;
    told = status?.nextStep ?? '';
    const missing = status?.conditions?.some(
      ({ reason, status: is }) => reason === 'RootSecretMissing' && is === 'False',
    );
    return missing && told !== '' ? [] : ['a condition RootSecretMissing and a next step'];
  };
  await until('the status says that the root is awaited', look, { timeoutMs: 30_000, signal });
  return told;
}

function watchCertificates({ hub, recorder, signal }: LiveRun, asked: Map<string, bigint>) {
  return startClusterWatch({
    client: hub,
    resource: CERTIFICATE,
    selection: { namespace: istioSystem },
    onVersion: ({ metadata }) => {
      if (!asked.has(metadata.name)) asked.set(metadata.name, BigInt(metadata.resourceVersion ?? '0'));
    },
    onGap: (what, detail) => recorder.mark({ kind: `gap of ${what}: ${detail}` }),
    clock: systemClock,
    signal,
  });
}

async function certificatesOf({ world, signal }: LiveRun): Promise<string[]> {
  const list = await world.hub.client.send('GET', certificatesPath, { signal });
  return ((list['items'] ?? []) as readonly { readonly metadata: { readonly name: string } }[]).map(
    ({ metadata }) => metadata.name,
  );
}

/**
 * One etcd holds the Certificates and the gateway Secret, so their resourceVersions tell which was first; times of arrival
 * over two watches do not.
 */
function askedTooEarly(history: History, asked: ReadonlyMap<string, bigint>, runtimes: readonly string[]): string[] {
  const valid = history.secrets.find(({ role, data }) => role === 'gateway' && data?.['tls.crt'] && data['ca.crt']);
  const validSince = valid === undefined ? undefined : BigInt(valid.resourceVersion);
  const early = [...asked].filter(([, version]) => validSince === undefined || version < validSince);
  const missing = runtimes.filter((name) => !asked.has(`${name}-webhook-tls`));
  return [
    ...early.map(([name]) => `Certificate ${name} was asked for before a valid gateway Secret existed`),
    ...missing.map((name) => `No Certificate of ${name} was seen, so nothing is shown`),
  ];
}

/** A valid gateway Secret of an authority that no root Secret holds, as another controller leaves it. */
async function writeForeignGateway({ world, signal }: Stage): Promise<void> {
  const ca = await createCa({ commonName: 'foreign-root' });
  const server = await issueLeaf(ca, { commonName: world.gateway.host, dnsNames: [world.gateway.host] });
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  await world.hub.client.apply(
    gatewaySecretPath,
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'klm-istio-gateway', namespace: istioSystem },
      data: {
        'tls.crt': base64(server.certificatePem),
        'tls.key': base64(server.keyPem),
        'ca.crt': base64(ca.certificatePem),
      },
    },
    signal,
  );
}
