import { type Clock, systemClock } from '../../controller/clock.ts';
import type { KubeClient } from '../../kubernetes/client.ts';
import { seededRandom } from '../seeded-random.ts';
import { startCredentialFeed } from './credential-feed.ts';
import { type ForwardedRequest, type GatewayEndpoint, startEndpoint } from './endpoint.ts';
import { applyGatewayObjects, gatewayCredential, gatewayNamespace } from './gateway-objects.ts';
import type { CredentialsInUse } from './loaded-credential.ts';

export interface GatewayOptions {
  /** Client of the hub. */
  readonly client: KubeClient;
  /** Host of the Gateway, as SNI and Host header. @default listener.kyma.local */
  readonly host?: string;
  /** @default 2 */
  readonly endpoints?: number;
  /** How long a version of the Secret travels to each endpoint, by index. @default 0 for each */
  readonly delaysMs?: readonly number[];
  /** Longest time between the taking of the bundle and of the server certificate, in either order. @default 50 */
  readonly gapMs?: number;
  /** Envoy takes the bundle first, always. Without it either half may come first, which is harder on whoever writes both. @default false */
  readonly bundleFirst?: boolean;
  /** @default the Secret istio-system/klm-istio-gateway */
  readonly secret?: { readonly namespace: string; readonly name: string };
  /** Lowest version of TLS. Kyma's Gateway allows 1.3 alone. @default TLSv1.3 */
  readonly minVersion?: 'TLSv1.2' | 'TLSv1.3';
  /** Answers accepted requests. @default 200 for /v2/lifecycle-manager/event, 404 for anything else */
  readonly backend?: (request: ForwardedRequest) => number;
  /** Of the order and the distance in which the halves of a credential are taken. */
  readonly seed: number;
  /** Whether Gateway, Service and pods are written to the hub. @default true */
  readonly publish?: boolean;
  readonly clock?: Clock;
  readonly signal: AbortSignal;
}

/** The mutual-TLS gateway of the hub. */
export interface Gateway {
  readonly host: string;
  /** One per endpoint, in the order of their index; fixed for the life of the gateway. */
  readonly endpoints: readonly { readonly name: string; readonly host: string; readonly port: number }[];
  /** What an endpoint uses now. Rejects while it is down or paused. */
  configDump(index: number, signal?: AbortSignal): Promise<CredentialsInUse>;
  /** For the versions of the Secret that come from now on. */
  setDelayMs(index: number, delayMs: number): void;
  /** As a process that is stopped and continued. */
  pause(index: number): void;
  resume(index: number): void;
  /** Cuts its connections and has it begin anew, with nothing, at the same port. */
  restart(index: number, options?: { readonly downMs?: number }): Promise<void>;
  /** The latest request that came through. */
  forwarded(): ForwardedRequest | undefined;
  /** Requests answered, and handshakes refused for the client's certificate, since the start. */
  counts(): { readonly answered: number; readonly refused: number };
  stop(): Promise<void>;
}

const eventPath = '/v2/lifecycle-manager/event';

/** Starts the gateway. The Secret may come later: until then no handshake ends well. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { client, host = 'listener.kyma.local', gapMs = 50, minVersion = 'TLSv1.3', signal } = options;
  const clock = options.clock ?? systemClock;
  const secret = options.secret ?? { namespace: gatewayNamespace, name: gatewayCredential };
  const backend = options.backend ?? (({ path }: ForwardedRequest) => (path === eventPath ? 200 : 404));
  const random = seededRandom(options.seed);
  const endpoints: GatewayEndpoint[] = [];
  let answered = 0;
  let forwarded: ForwardedRequest | undefined;
  let refused = 0;

  const stopEndpoints = () => Promise.all(endpoints.map((endpoint) => endpoint.stop()));
  try {
    for (let index = 0; index < (options.endpoints ?? 2); index += 1) {
      endpoints.push(
        await startEndpoint({
          name: `igw-${index}`,
          serverName: host.toLowerCase(),
          minVersion,
          maxVersion: 'TLSv1.3',
          delayMs: options.delaysMs?.[index] ?? 0,
          bundleFirst: options.bundleFirst ?? false,
          gapMs,
          backend: (request) => {
            answered += 1;
            forwarded = request;
            return backend(request);
          },
          onRefused: () => {
            refused += 1;
          },
          clock,
          random,
        }),
      );
    }
    const places = endpoints.map(({ name, host: address, port }) => ({ name, host: address, port }));
    if (options.publish ?? true) {
      await applyGatewayObjects(client, { host, endpoints: places, nowMs: clock.nowMs() }, signal);
    }
    const feed = startCredentialFeed({
      client,
      secret,
      clock,
      signal,
      onCredential: (credential) => {
        for (const endpoint of endpoints) endpoint.push(credential);
      },
    });
    const endpoint = (index: number): GatewayEndpoint => {
      const found = endpoints[index];
      if (found === undefined) throw new RangeError(`No endpoint ${index}: there are ${endpoints.length}`);
      return found;
    };
    return {
      host,
      endpoints: places,
      configDump: async (index) => endpoint(index).inUse(),
      setDelayMs: (index, delayMs) => endpoint(index).setDelayMs(delayMs),
      pause: (index) => endpoint(index).pause(),
      resume: (index) => endpoint(index).resume(),
      restart: (index, { downMs = 0 } = {}) => endpoint(index).restart(downMs, feed.current, signal),
      forwarded: () => forwarded,
      counts: () => ({ answered, refused }),
      async stop() {
        await Promise.all([feed.stop(), stopEndpoints()]);
      },
    };
  } catch (error) {
    await stopEndpoints();
    throw error;
  }
}
