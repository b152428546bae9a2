import { expect } from 'vitest';
import { createKubeClient, type KubeClient } from '../../../src/kubernetes/client.ts';
import { parseKubeconfig } from '../../../src/kubernetes/kubeconfig.ts';
import { SECRET, type SecretObject } from '../../../src/kubernetes/resource.ts';
import type { IssuedPair } from '../../../src/pki/issue.ts';
import { pause } from '../../../world/wait.ts';
import type { World, WorldGateway } from '../../../world/world.ts';
import { material } from '../../pki-material/material.ts';
import { type DifferencesMet, meetDifferences, type Side } from '../differences.ts';
import { eventually } from '../eventually.ts';
import { type Asked, ask, type Question } from './ask.ts';
import { gatewayDifferences } from './gateway-differences.ts';

export const credential = 'klm-istio-gateway';
const namespace = 'istio-system';
/** Longer than a change takes to arrive where it is taken. */
const restMs = 900;

type Pem = Pick<IssuedPair, 'certificatePem' | 'keyPem'>;

/** One endpoint of a hub's gateway, and what a test does with it. */
export interface GatewayUnderTest extends Pick<DifferencesMet<typeof gatewayDifferences>, 'expected' | 'unmet'> {
  readonly side: Side;
  readonly gateway: WorldGateway;
  readonly kube: KubeClient;
  readonly host: string;
  /** A certificate for the gateway's host. */
  server(root: IssuedPair, name?: string): Promise<IssuedPair>;
  /** Has exactly these keys in the Secret of the gateway, or in its companion. */
  write(data: Readonly<Record<string, string>>, name?: string): Promise<void>;
  remove(name?: string): Promise<void>;
  /** Writes pair and bundle, and waits until both are used. */
  hold(pair: Pem, bundle: string | readonly Pick<IssuedPair, 'certificatePem'>[]): Promise<void>;
  /** Waits until the dump has this. */
  uses(half: Half): Promise<void>;
  /** This is what clients meet, now or soon. */
  meets(served: Served): Promise<void>;
  /** This is what clients meet after a time in which a change would have arrived. */
  stays(served: Served): Promise<void>;
  ask(pair: Pem | undefined, options?: Partial<Question>): Promise<Asked>;
  stop(): Promise<void>;
}

/** The certificate that is presented, and the clients that are answered and refused. */
interface Served {
  readonly server: IssuedPair;
  readonly answers: readonly Pem[];
  readonly refuses?: readonly Pem[];
}

/** PEM of the server's certificate, of the bundle, or of both. */
interface Half {
  readonly pair?: string;
  readonly bundle?: string;
}

export function openGateway(side: Side, world: World): GatewayUnderTest {
  const kube = createKubeClient(parseKubeconfig(world.hub.kubeconfig));
  const call = { signal: new AbortController().signal };
  const { gateway } = world;
  const [endpoint] = gateway.endpoints;
  if (endpoint === undefined) throw new Error('The gateway has no endpoint');

  const used = async (half: Half): Promise<void> => {
    const { serverCertificate, bundle } = await gateway.configDump(0);
    if (half.pair !== undefined) expect(serverCertificate?.pem).toBe(half.pair);
    if (half.bundle !== undefined) expect(bundle?.pem).toBe(half.bundle);
  };
  const askOne: GatewayUnderTest['ask'] = (pair, options = {}) =>
    ask({
      host: endpoint.host,
      port: endpoint.port,
      servername: gateway.host,
      ...(pair === undefined ? {} : { pair }),
      ...options,
    });
  const met = async ({ server, answers, refuses = [] }: Served): Promise<void> => {
    const expected = [...answers.map(() => 'answered'), ...refuses.map(() => 'refused')];
    const asked = await Promise.all([...answers, ...refuses].map((client) => askOne(client)));
    expect(asked.map((one) => [one.outcome, 'server' in one ? one.server : undefined])).toEqual(
      expected.map((outcome) => [outcome, server.certificate.digest]),
    );
  };
  const uses = (half: Half): Promise<void> => eventually(() => used(half));
  const write: GatewayUnderTest['write'] = async (data, name = credential) => {
    const standing = await kube.find<SecretObject>(SECRET, { namespace, name }, call);
    const metadata = standing?.metadata ?? { name, namespace };
    const object: SecretObject = { metadata, data: base64Values(data) };
    if (standing === undefined) await kube.create(SECRET, object, call);
    else await kube.replace(SECRET, object, call);
  };
  return {
    side,
    gateway,
    kube,
    host: gateway.host,
    ...meetDifferences(side, gatewayDifferences),
    server: (root, name = 'gateway') => material.leaf(root, name, { dnsNames: [gateway.host] }),
    write,
    remove: async (name = credential) => {
      await kube.delete(SECRET, { namespace, name }, call);
    },
    async hold(pair, bundle) {
      const text = typeof bundle === 'string' ? bundle : bundlePem(...bundle);
      await write({ 'tls.crt': pair.certificatePem, 'tls.key': pair.keyPem, 'ca.crt': text });
      await uses({ pair: pair.certificatePem, bundle: text });
    },
    uses,
    meets: (served) => eventually(() => met(served)),
    async stays(served) {
      await pause(restMs);
      await met(served);
    },
    ask: askOne,
    stop: () => kube.close(),
  };
}

export function bundlePem(...roots: readonly Pick<IssuedPair, 'certificatePem'>[]): string {
  return roots.map(({ certificatePem }) => certificatePem).join('');
}

function base64Values(data: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]));
}
