import type { Candidate } from './candidate.ts';
import { type Fleet, heldBy } from './fleet.ts';
import { expired, outlived } from './gateway-bundle.ts';
import { type GatewayJournal, possibleServerSigners } from './gateway-journal.ts';
import { possibleClientSigners } from './holdings.ts';
import type { Digest, GatewaySecret, KeyId, Root } from './values.ts';

/** Why a root stays, in the words of the catalogue. */
export type RootUse =
  | 'IsCurrent'
  | 'IsCandidate'
  | 'ServerMayPresent'
  | 'RuntimeMayPresent'
  | 'ServerUnknown'
  | 'RuntimeUnknown';

export interface RetireSituation {
  readonly secret: GatewaySecret;
  readonly current: Root;
  readonly candidate: Candidate | null;
  readonly journal: GatewayJournal;
  readonly fleet: Fleet;
  readonly revoked: readonly KeyId[];
  readonly nowMs: number;
  readonly skewMarginMs: number;
}

export interface RetireVerdict {
  /** Roots that may leave at once: expired, or outlived by a root of the same key. */
  readonly atOnce: readonly Digest[];
  /** Revoked roots that no endpoint presents any more: they leave at once, whoever breaks. */
  readonly revoked: readonly Digest[];
  /** Roots that nobody uses: they leave in two writes, the mark first. */
  readonly unused: readonly Digest[];
  /** Root → who keeps it. */
  readonly kept: Readonly<Record<Digest, { readonly use: RootUse; readonly by: string }>>;
}

/**
 * Which roots may leave the gateway's bundle (design 3.7, S1, S2, S5)? One leaves when no runtime may present a certificate of
 * its key and no endpoint may either. If it is unknown what somebody presents, none leaves. Age never matters.
 */
export function mayRetire(at: RetireSituation): RetireVerdict {
  const { secret, current, candidate } = at;
  const atOnce = [...expired(secret.bundle, at.nowMs), ...outlived(secret.bundle, at.nowMs, at.skewMarginMs)].filter(
    (digest) => digest !== current.digest,
  );
  // The server goes first, then the bundles (design, Emergency); without its proof a revoked root would take the server with it.
  const servers = possibleServerSigners(at.journal);
  const revoked = secret.bundle
    .filter(({ keyId }) => at.revoked.includes(keyId) && keyId !== current.keyId && servers?.includes(keyId) === false)
    .map((root) => root.digest);
  const unused: Digest[] = [];
  const kept: Record<Digest, { use: RootUse; by: string }> = {};
  const users = usersOfKeys(servers, at.fleet);
  for (const root of secret.bundle) {
    if (atOnce.includes(root.digest) || revoked.includes(root.digest)) continue;
    const user =
      root.keyId === current.keyId
        ? { use: 'IsCurrent' as const, by: '' }
        : root.keyId === candidate?.signer
          ? { use: 'IsCandidate' as const, by: '' }
          : (users.get(root.keyId) ?? users.get(ANY));
    if (user === undefined) unused.push(root.digest);
    else kept[root.digest] = user;
  }
  return { atOnce, revoked, unused, kept };
}

/** Stands for every key: somebody of whom it is not known what he presents. */
const ANY = '*';

function usersOfKeys(servers: readonly KeyId[] | null, fleet: Fleet): ReadonlyMap<KeyId, { use: RootUse; by: string }> {
  const users = new Map<KeyId, { use: RootUse; by: string }>();
  if (servers === null) users.set(ANY, { use: 'ServerUnknown', by: '' });
  for (const key of servers ?? []) users.set(key, { use: 'ServerMayPresent', by: '' });
  for (const group of fleet.groups) {
    const clients = possibleClientSigners(heldBy(group));
    const [by = ''] = group.names;
    if (clients === null) users.set(ANY, { use: 'RuntimeUnknown', by });
    for (const key of clients ?? []) users.set(key, { use: 'RuntimeMayPresent', by });
  }
  return users;
}
