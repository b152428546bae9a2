import { parseArgs } from 'node:util';
import { brokenOff, type Outcome } from '../src/checker/outcome.ts';
import { buildPartsFirst } from './parts-first.ts';
import { fullProgramme } from './programme.ts';
import { sayWithSeconds } from './say.ts';
import { onStage, worldKindOf } from './stage.ts';
import { stoppedBySignals } from './stop-on-signal.ts';

/** `npm run scenarios [-- --world embedded]`: all in full, each on a world of its own, one after the other; then a table. Exit code 0 only if all held. */
const columns = ['requests', 'failed', 'violations', 'rotations', 'overlapping', 'perSecond', 'seconds'] as const;

function table(outcomes: readonly Outcome[]): string[] {
  const rows = outcomes.map((outcome) => [
    outcome.scenario,
    outcome.ok ? 'ok' : 'FAILED',
    ...columns.map((column) => String(outcome[column])),
  ]);
  const all = [['scenario', 'result', ...columns], ...rows];
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? [];
  return all.map((row) =>
    row
      .map((cell, column) => (column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  '),
  );
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { world: { type: 'string', default: 'real' } } });
  const world = worldKindOf(values.world);
  const outcomes: Outcome[] = [];
  const say = sayWithSeconds();
  const startedMs = performance.now();
  await stoppedBySignals(async (signal) => {
    try {
      if (world === 'real') await buildPartsFirst(say, signal);
    } catch (error) {
      outcomes.push(brokenOff('parts', 0, error instanceof Error ? error.message : String(error)));
      return;
    }
    for (const { title, runtimes, perform } of fullProgramme()) {
      if (signal.aborted) break;
      say(`--- ${title}`);
      const begunMs = performance.now();
      try {
        outcomes.push({
          ...(await onStage({ world, runtimes, seed: 1, say, signal }, perform)),
          scenario: title,
        });
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error);
        outcomes.push(brokenOff(title, (performance.now() - begunMs) / 1_000, text));
      }
      for (const problem of outcomes.at(-1)?.problems ?? []) say(`Did not hold: ${problem}`);
    }
  });
  console.log(`\n${table(outcomes).join('\n')}\n`);
  const ok = outcomes.length > 0 && outcomes.every((outcome) => outcome.ok);
  const seconds = Math.round((performance.now() - startedMs) / 100) / 10;
  console.log(
    JSON.stringify({ ok, scenarios: outcomes.length, failed: outcomes.filter((one) => !one.ok).length, seconds }),
  );
  return ok ? 0 : 1;
}

process.exitCode = await main();
