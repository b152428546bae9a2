import { search } from './search.ts';
import { ALL_FAULTS, ROOTS } from './settings.ts';
const maxFaults = Number(process.argv[2] ?? 0);
const runtimes = Number(process.argv[3] ?? 1);
for (const [name, roots] of Object.entries(ROOTS)) {
  const t = Date.now();
  const r = search({ name, roots, runtimes, present: runtimes, webhooks: Number(process.argv[5] ?? 0), maxLag: Number(process.argv[6] ?? 1), faults: ALL_FAULTS, maxFaults }, null, { maxStates: 400000, endingEvery: Number(process.argv[4] ?? 20), maxMs: 60000 }, () => Date.now());
  console.log(name, JSON.stringify({ ...r, counterExample: undefined }), Date.now() - t, 'ms');
  if (r.counterExample) console.log(r.counterExample.rule, '\n  ' + r.counterExample.path.join('\n  '));
}
