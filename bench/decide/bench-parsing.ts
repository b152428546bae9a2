import { parseBundle } from '../../src/pki/bundle.ts';
import { readHubPair } from '../../src/rotation/runtime/read-hub-pair.ts';
import { readStandingSecret } from '../../src/rotation/runtime/read-standing.ts';
import { type Runs, runsOf, type Took, took } from '../measure.ts';
import { makeClientSecrets } from './client-secrets.ts';

export interface ParsingBench {
  readonly certificates: number;
  /** Each pair for the first time: certificate parsed, key matched, signature verified. */
  readonly cold: Took;
  /** The same pairs again, as each later look at a runtime does. */
  readonly again: Runs;
  /** The Secrets as they stand in the runtimes: the bundle beside the pair, both known. */
  readonly standing: Runs;
}

/** What observing costs before anything is decided. @param size client certificates */
export async function benchParsing(size = 10_000, rounds = 3): Promise<ParsingBench> {
  const { bundlePem, secrets } = await makeClientSecrets(size);
  const known = parseBundle(bundlePem).certificates;
  const readAll = (): void => {
    for (const secret of secrets) {
      const pair = readHubPair(secret, known);
      if (pair === null || !pair.keyMatches || pair.signer !== known.at(-1)?.keyId) {
        throw new Error(`The pair of ${secret.metadata.name} was not read as it was made`);
      }
    }
  };
  return {
    certificates: size,
    cold: took(readAll),
    again: runsOf(Array.from({ length: rounds }, () => took(readAll))),
    standing: runsOf(
      Array.from({ length: rounds }, () =>
        took(() => {
          for (const secret of secrets) readStandingSecret(secret, known);
        }),
      ),
    ),
  };
}
