import type { RuntimeTrust } from '../src/api/runtime-trust.ts';
import type { TrustDomain } from '../src/api/trust-domain.ts';
import type { World } from '../world/world.ts';
import { domainPath, recordsPath } from './hub-objects.ts';

/** What the operator says of itself: looked at for what it says, never for what is so. */
export async function readDomain(world: World, signal: AbortSignal): Promise<TrustDomain | undefined> {
  return (await world.hub.client.find(domainPath, signal)) as unknown as TrustDomain | undefined;
}

export async function readRecords(world: World, signal: AbortSignal): Promise<readonly RuntimeTrust[]> {
  const list = await world.hub.client.send('GET', recordsPath, { signal });
  return (list['items'] ?? []) as readonly RuntimeTrust[];
}

/** Texts of what is not Ready yet, of the domain and of each of these runtimes. */
export async function awaitedReady(
  world: World,
  runtimes: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const [domain, records] = await Promise.all([readDomain(world, signal), readRecords(world, signal)]);
  const isReady = (object: Pick<TrustDomain | RuntimeTrust, 'status'> | undefined): boolean =>
    object?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
  const unready = runtimes.filter((name) => !isReady(records.find(({ metadata }) => metadata.name === name)));
  return [
    ...(isReady(domain) ? [] : [`the TrustDomain is not Ready: ${domain?.status?.nextStep ?? 'no status'}`]),
    ...unready.map((name) => `${name} is not Ready`),
  ];
}
