import type { TrustDomain } from '../../api/trust-domain.ts';

/** Has a person said that what this key signed is to be replaced first? */
export function isTainted({ spec }: TrustDomain, key: string | null | undefined): boolean {
  return spec.tainted.some(({ publicKey }) => publicKey === key);
}
