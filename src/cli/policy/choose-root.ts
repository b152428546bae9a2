import type { TrustDomain } from '../../api/trust-domain.ts';
import { CommandFailure } from '../exit-code.ts';
import { short } from '../table.ts';

/** A root as a person names it. */
export interface ChosenRoot {
  readonly digest: string;
  readonly keyId: string;
  readonly isCurrent: boolean;
}

const shortestStart = 6;

/**
 * The root that a person means: by the start of its certificate's SHA-256 or of its public key's, or a whole SHA-256 of a
 * public key that no bundle holds any more.
 */
export function chooseRoot({ status = {} }: TrustDomain, given: string): ChosenRoot {
  const start = given.toLowerCase().replaceAll(':', '');
  const { root, bundle = [] } = status;
  const known = [...(root === undefined ? [] : [root]), ...bundle];
  const meant = known.filter(({ digest, keyId }) => digest.startsWith(start) || keyId.startsWith(start));
  const keys = new Set(meant.map(({ keyId }) => keyId));
  const names = known.map(({ digest }) => short(digest));
  const there = names.length === 0 ? 'none is known yet' : `the roots are ${[...new Set(names)].join(', ')}`;
  if (!/^[0-9a-f]+$/.test(start)) {
    throw new CommandFailure(`"${given}" names no root: give the first digits of its SHA-256; ${there}`);
  }
  if (start.length < shortestStart) {
    throw new CommandFailure(
      `"${given}" is too short to name a root: give at least ${shortestStart} digits of its SHA-256; ${there}`,
    );
  }
  if (keys.size > 1) throw new CommandFailure(`"${given}" fits more than one root: give more digits; ${there}`);
  const [chosen] = meant;
  if (chosen !== undefined) {
    return { digest: chosen.digest, keyId: chosen.keyId, isCurrent: chosen.keyId === root?.keyId };
  }
  if (start.length === 64) return { digest: '', keyId: start, isCurrent: false };
  throw new CommandFailure(`No root of TrustDomain begins with "${given}": ${there}`);
}
