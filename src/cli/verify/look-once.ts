import type { Entry } from '../../checker/history.ts';
import type { Clock } from '../../controller/clock.ts';
import { createLane } from '../../fleet/lane.ts';
import type { CallOptions } from '../../kubernetes/answer.ts';
import type { KubeClient } from '../../kubernetes/client.ts';
import {
  type KubeObject,
  keyOf,
  SECRET,
  type SecretObject,
  VALIDATING_WEBHOOK_CONFIGURATION,
} from '../../kubernetes/resource.ts';
import { gapEntry, secretEntry, webhookEntry } from './entries.ts';
import type { Parties, RuntimeParty } from './parties.ts';

/** Clusters that are read at once. */
const width = 20;
/** Something that changes more often than it can be read is to be watched, not looked at once. */
const attempts = 5;

/**
 * What stands everywhere now. Reads take time, so each is repeated until nothing has changed meanwhile: two halves of two
 * states would show a violation that never was.
 */
export async function lookOnce(
  parties: Parties,
  clock: Clock,
  onLook: (done: number, whole: number) => void,
  signal: AbortSignal,
): Promise<readonly Entry[]> {
  const { hub, domain, runtimes, settings } = parties;
  const { gatewaySecretRef } = domain.spec;
  const call = { signal };
  const gatewaySecret = () => hub.find<SecretObject>(SECRET, gatewaySecretRef, call);
  for (let attempt = 1; ; attempt += 1) {
    const before = await gatewaySecret();
    const atMs = clock.nowMs();
    if (before === undefined) {
      return [settings, gapEntry('hub', `Secret ${keyOf(gatewaySecretRef)}`, 'it does not exist', atMs)];
    }
    const seen = await eachRuntime(parties, atMs, onLook, signal);
    const after = await gatewaySecret();
    if (after?.metadata.resourceVersion === before.metadata.resourceVersion) {
      return [settings, secretEntry('gateway', 'hub', before, atMs), ...seen];
    }
    if (attempt === attempts) {
      const detail = 'it changed each time while the runtimes were read; look at it with --for 1m';
      return [settings, gapEntry('hub', `Secret ${keyOf(gatewaySecretRef)}`, detail, atMs)];
    }
    onLook(0, runtimes.length);
  }
}

async function eachRuntime(
  { runtimes, domain }: Parties,
  atMs: number,
  onLook: (done: number, whole: number) => void,
  signal: AbortSignal,
): Promise<readonly Entry[]> {
  const lane = createLane(width);
  let done = 0;
  const entries = await Promise.all(
    runtimes.map(async (runtime) => {
      const leave = await lane.enter(signal);
      try {
        return await oneRuntime(runtime, domain.spec.runtimes, atMs, { signal });
      } finally {
        leave();
        done += 1;
        onLook(done, runtimes.length);
      }
    }),
  );
  return entries.flat();
}

/** The Secret, the webhook configuration, and the Secret again: a delivery writes one after the other. */
async function oneRuntime(
  runtime: RuntimeParty,
  where: Parties['domain']['spec']['runtimes'],
  atMs: number,
  call: CallOptions,
): Promise<readonly Entry[]> {
  const { name, client } = runtime;
  if (client === null) return [gapEntry(name, 'runtime', runtime.why, atMs)];
  try {
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      const secret = await client.find<SecretObject>(SECRET, where.secret, call);
      const webhook = await findWebhook(client, where.webhook.name, call);
      const again = await client.find<SecretObject>(SECRET, where.secret, call);
      if (again?.metadata.resourceVersion !== secret?.metadata.resourceVersion) continue;
      return [
        ...(secret === undefined ? [] : [secretEntry('runtime', name, secret, atMs)]),
        ...(webhook === undefined ? [] : [webhookEntry(name, webhook, atMs)]),
      ];
    }
    return [gapEntry(name, 'runtime', 'its Secret changed each time while it was read', atMs)];
  } catch (error) {
    if (call.signal.aborted) throw error;
    return [gapEntry(name, 'runtime', error instanceof Error ? error.message : String(error), atMs)];
  }
}

function findWebhook(client: KubeClient, name: string, call: CallOptions): Promise<KubeObject | undefined> {
  return client.find<KubeObject>(VALIDATING_WEBHOOK_CONFIGURATION, { name }, call);
}
