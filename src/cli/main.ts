#!/usr/bin/env node
import { basename } from 'node:path';
import { endWithOutput } from './end-with-output.ts';
import { COMPLETE, runProgram } from './program.ts';
import { processTerminal } from './terminal.ts';

const calledAs = basename(process.argv[1] ?? '').replace(/\.js$/, '');
const args = process.argv.slice(2);
endWithOutput(process);
// Under this name kubectl asks a plugin for completions.
process.exitCode = await runProgram(calledAs === 'kubectl_complete-keyturn' ? [COMPLETE, ...args] : args, {
  loadOperator: async () => (await import('./run-operator.ts')).runOperatorHere,
  write: (text) => process.stdout.write(text),
  writeError: (text) => process.stderr.write(text),
  terminal: processTerminal(),
  calledAs,
});
