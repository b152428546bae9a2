import type { RuntimeState, Setting, World } from './world.ts';

/**
 * Which rule does a state break? Judged from what the endpoint, the watchers and the API servers really use, so it shares
 * nothing with the decisions.
 */
export function brokenRule(world: World): string | null {
  const trusts = world.versions[world.bundleAt]?.bundle ?? [];
  const presents = world.versions[world.serverAt]?.server.signer;
  if (world.secret.bundle.length === 0) return 'S5: the gateway Secret has an empty bundle';
  for (const [index, runtime] of world.runtimes.entries()) {
    const using = runtime.log[0];
    if (runtime.kyma !== 'present' || using === undefined) continue;
    const signer = using.client?.signer;
    if (!trusts.some((root) => root.keyId === signer)) {
      return `S1: runtime ${index} presents a certificate of ${signer}, which the endpoint does not trust`;
    }
    if (!using.bundle.some((digest) => keyOf(digest) === presents)) {
      return `S2: the endpoint presents a certificate of ${presents}, which runtime ${index} does not trust`;
    }
    const caBundle = runtime.webhook?.log[0]?.roots;
    if (caBundle !== undefined && !caBundle.some((root) => root.keyId === signer)) {
      return `S3: the webhook of runtime ${index} serves a certificate of ${signer}, which its API servers do not trust`;
    }
  }
  return null;
}

/**
 * Which rule about tainted roots does a step break? Told from what runtimes have and may present.
 */
export function brokenOrder(before: World, after: World, setting: Setting): string | null {
  if (before.tainted.length === 0) return null;
  const current = setting.roots[before.rootIndex]?.keyId ?? '';
  const candidate = after.candidate?.signer ?? '';
  if (after.candidate !== before.candidate && after.tainted.includes(candidate)) {
    return `taint: a server certificate of the tainted root ${candidate} is issued`;
  }
  for (const [index, runtime] of before.runtimes.entries()) {
    const pair = runtime.certificate?.pair ?? null;
    const asked =
      runtime.certificate?.issuing === null && typeof after.runtimes[index]?.certificate?.issuing === 'number';
    if (!asked || pair === null || pair.signer === current) continue;
    const stays = before.secret.bundle.find(({ keyId }) => keyId === pair.signer);
    if (before.tainted.includes(current) && stays !== undefined && !before.secret.closing.includes(stays.digest)) {
      return `taint: runtime ${index} is given another certificate of the tainted root ${current}`;
    }
    const ahead = before.runtimes.findIndex((other, at) => at !== index && other.ahead);
    if (ahead >= 0 && !mayPresentTainted(runtime, before.tainted)) {
      return `taint: runtime ${index} has its turn before runtime ${ahead}`;
    }
  }
  return null;
}

/** By its pair in the hub, by what it was given, or because nobody knows. */
export function mayPresentTainted({ certificate, record, log }: RuntimeState, tainted: readonly string[]): boolean {
  const held = record?.held;
  if (held?.beyond !== 'nothing') return true;
  const clients = [certificate?.pair ?? null, ...[...held.values, ...log].map(({ client }) => client)];
  return clients.some((client) => client !== null && (client.signer === null || tainted.includes(client.signer)));
}

/** Digests are named after their keys: `b2` is a renewal of the key `b`. */
function keyOf(digest: string): string {
  return digest.replace(/\d+$/, '');
}
