import type { Differences } from '../differences.ts';

/** What the issuer of the sandbox does otherwise than cert-manager, on purpose. */
export const issuerDifferences = {
  'a key of P-256 where a Certificate names none': {
    double: 'P-256',
    real: 'RSA-2048',
    because: 'An RSA key costs up to a second of a core, and a sandbox with twenty runtimes has to be there in ten.',
  },
  'the key of an issuance under way is in no Secret': {
    double: false,
    real: true,
    because: 'The process that asks is the one that signs, so the key need not leave it; and no reader looks for it.',
  },
} as const satisfies Differences;
