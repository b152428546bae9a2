import type { World } from './world.ts';

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

/** Digests are named after their keys: `b2` is a renewal of the key `b`. */
function keyOf(digest: string): string {
  return digest.replace(/\d+$/, '');
}
