import type { PartName } from '../world/real/parts/catalogue.ts';
import { aboutHowLong, ensureParts, missingParts } from '../world/real/parts/ensure.ts';
import type { Say } from './say.ts';

/**
 * Builds what is missing, after saying what and about how long.
 *
 * @param names of the parts that are needed; all by default
 * @throws when a part cannot be built here; the message says what to install
 */
export async function buildPartsFirst(say: Say, signal: AbortSignal, names?: readonly PartName[]): Promise<void> {
  const missing = await missingParts(names);
  const unbuildable = missing.filter((part) => part.state === 'unbuildable');
  if (unbuildable.length > 0) throw new Error(unbuildable.map(({ why }) => why).join('\n'));
  const buildable = missing.filter((part) => part.state === 'missing');
  if (buildable.length === 0) {
    say('All real parts are built');
    return;
  }
  say(`To build first: ${buildable.map(({ name }) => name).join(', ')}, ${aboutHowLong(buildable)} on two cores`);
  await ensureParts(names, {
    signal,
    onProgress: ({ step, part }) => {
      if (step === 'building') say(`Building ${part.name} ${part.version}, ${aboutHowLong([part])}`);
      else if (part.state === 'ready' && part.seconds > 0) say(`Built ${part.name} in ${part.seconds} s`);
    },
  });
}
