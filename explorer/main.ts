/**
 * `npm run explore`: the widest bound that fits into an hour. Prints how many states were seen, the bound, and the shortest
 * counter-example if there is one; the exit code is 0 only if there is none.
 *
 * @module
 */
import { type CounterExample, search } from './search.ts';
import { EXPLORE_SEARCHES, EXPLORE_WALKS } from './settings.ts';
import { walk } from './walk.ts';

const nowMs = (): number => performance.now();
let broken = 0;
let allStates = 0;

function tell(found: CounterExample | null): void {
  if (found === null) return;
  broken += 1;
  console.log(`  ${found.rule}, after ${found.path.length} steps:`);
  for (const step of found.path) console.log(`    ${step}`);
}

for (const { setting, bound } of EXPLORE_SEARCHES) {
  const startedMs = nowMs();
  const found = search(setting, null, bound, nowMs);
  allStates += found.states;
  const seconds = Math.round((nowMs() - startedMs) / 1000);
  const extent = found.exhaustive
    ? 'every state'
    : `to depth ${found.depth} (bound: ${bound.maxStates} states, ${bound.maxMs / 1000} s)`;
  console.log(
    `${setting.name}: ${found.states} states, ${found.transitions} steps, ${extent}, ${found.endings} run to their end, ${seconds} s`,
  );
  tell(found.counterExample);
}
for (const { setting, bound } of EXPLORE_WALKS) {
  const found = walk(setting, null, bound, nowMs);
  console.log(
    `${setting.name}: ${found.walks} random walks of at most ${bound.steps} steps, ${found.steps} steps, seed ${bound.seed}`,
  );
  tell(found.counterExample);
}
console.log(`${allStates} states seen, ${broken === 0 ? 'no rule broken' : `${broken} counter-examples`}`);
process.exitCode = broken === 0 ? 0 : 1;
