import { aboutHowLong, ensureParts, missingParts } from './ensure.ts';

/** `npm run parts`: builds what is missing and lists all parts. Exit code 1 if one cannot be had. */
const missing = (await missingParts()).filter((one) => one.state === 'missing');
if (missing.length > 0) {
  console.log(`To build: ${missing.map(({ name }) => name).join(', ')} (${aboutHowLong(missing)} on two cores)`);
}
const stopping = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopping.abort(new Error('Stopped')));

const states = await ensureParts(undefined, {
  signal: stopping.signal,
  onProgress: ({ step, part }) => {
    if (step === 'building') console.log(`building ${part.name} ${part.version}, ${aboutHowLong([part])}`);
    else if (part.state === 'ready')
      console.log([part.name.padEnd(15), part.version, part.path, `${part.seconds} s`].join('  '));
  },
});
for (const state of states) if (state.state === 'unbuildable') console.log(state.why);
process.exitCode = states.every(({ state }) => state === 'ready') ? 0 : 1;
