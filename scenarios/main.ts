import { parseArgs } from 'node:util';
import { brokenOff } from '../src/checker/outcome.ts';
import { buildPartsFirst } from './parts-first.ts';
import { playByName, type ScenarioName, scenarioNames } from './programme.ts';
import { sayWithSeconds } from './say.ts';
import { onStage, worldKindOf } from './stage.ts';
import { stoppedBySignals } from './stop-on-signal.ts';

/**
 * `npm run scenario -- NAME [--runtimes N] [--rotations N] [--root secret|cert-manager] [--world real|embedded] [--seed N] [--short] [--keep-logs]`.
 * Exit code 0 only when all held; the last line is one JSON object.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runtimes: { type: 'string' },
    rotations: { type: 'string' },
    root: { type: 'string' },
    world: { type: 'string', default: 'real' },
    seed: { type: 'string' },
    short: { type: 'boolean', default: false },
    'keep-logs': { type: 'boolean', default: false },
  },
});

function whole(option: 'runtimes' | 'rotations' | 'seed'): number | undefined {
  const text = values[option];
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1)
    throw new Error(`Option --${option} takes a whole number from 1, not "${text}"`);
  return number;
}

async function main(): Promise<number> {
  const [name = ''] = positionals;
  if (positionals.length !== 1 || !isScenario(name)) {
    throw new Error(`Name one scenario: ${scenarioNames.join(', ')}`);
  }
  const { root = 'secret' } = values;
  if (root !== 'secret' && root !== 'cert-manager') throw new Error('Option --root takes secret or cert-manager');
  const world = worldKindOf(values.world);
  const seed = whole('seed') ?? 1;
  const say = sayWithSeconds();
  const startedMs = performance.now();
  const outcome = await stoppedBySignals(async (signal) => {
    try {
      if (world === 'real') await buildPartsFirst(say, signal);
      const asked = { runtimes: whole('runtimes'), rotations: whole('rotations'), root, short: values.short } as const;
      const { runtimes, perform } = playByName(name, asked);
      return await onStage({ world, runtimes, seed, say, signal, keepLogs: values['keep-logs'] }, perform);
    } catch (error) {
      say(
        error instanceof Error && error.cause instanceof Error
          ? `${error.message}: ${error.cause.message}`
          : String(error),
      );
      return brokenOff(
        name,
        (performance.now() - startedMs) / 1_000,
        error instanceof Error ? error.message : String(error),
      );
    }
  });
  for (const problem of outcome.problems) say(`Did not hold: ${problem}`);
  console.log(JSON.stringify(outcome));
  return outcome.ok ? 0 : 1;
}

function isScenario(name: string): name is ScenarioName {
  return (scenarioNames as readonly string[]).includes(name);
}

process.exitCode = await main();
