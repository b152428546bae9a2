import type { Candidate } from './candidate.ts';
import { type Fleet, heldBy } from './fleet.ts';
import { everyBundleAccepts } from './holdings.ts';
import type { GatewaySecret, KeyId } from './values.ts';

/** Who keeps the server from taking the candidate, and who is left behind if it does. */
export interface SwitchVerdict {
  readonly may: boolean;
  /** Runtimes whose proof is awaited. */
  readonly waitsFor: readonly string[];
  /** Runtimes that were given up after the policy's time: they break if they still verify with an older bundle. */
  readonly breaks: readonly string[];
}

export interface SwitchSituation {
  readonly secret: GatewaySecret;
  readonly candidate: Candidate;
  readonly fleet: Fleet;
  readonly nowMs: number;
  readonly skewMarginMs: number;
  readonly unprovableAfterMs: number;
  readonly revoked: readonly KeyId[];
}

/**
 * May the server take the candidate (design 3.6, S2)? When every bundle that any runtime may be using accepts it. It waits for
 * bundles only, never for an issuance (L2).
 */
export function maySwitch(at: SwitchSituation): SwitchVerdict {
  const { secret, candidate, fleet, nowMs } = at;
  const ready = candidate.notBeforeMs + at.skewMarginMs <= nowMs;
  // Whoever accepts the standing certificate accepts one of the same root as well; one that nobody accepts protects nobody.
  const server = secret.server;
  if (server === null || server.notAfterMs <= nowMs || server.signer === candidate.signer) {
    return { may: ready || server === null, waitsFor: [], breaks: [] };
  }
  const open = fleet.groups.filter(
    (group) => !everyBundleAccepts(heldBy(group), secret.bundle, candidate.signer, nowMs, at.skewMarginMs),
  );
  // The server leaves a revoked root at once, whoever breaks: he is named, and is cut off with the root anyway.
  const leavesRevoked = server.signer !== null && at.revoked.includes(server.signer);
  const isGivenUp = (unprovenForMs: number): boolean => leavesRevoked || unprovenForMs >= at.unprovableAfterMs;
  const waiting: (readonly string[])[] = [];
  const breaks: string[] = [];
  for (const { names, unprovenForMs, longestUnprovenMs } of open) {
    if (!isGivenUp(longestUnprovenMs)) {
      waiting.push(names);
      continue;
    }
    const awaited: string[] = [];
    names.forEach((name, index) => {
      (isGivenUp(unprovenForMs[index] ?? 0) ? breaks : awaited).push(name);
    });
    waiting.push(awaited);
  }
  // Whole lists are copied: names of thousands are put together in no time.
  const waitsFor = ([] as string[]).concat(...waiting);
  return { may: ready && waitsFor.length === 0, waitsFor, breaks };
}
