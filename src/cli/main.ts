#!/usr/bin/env node
import { basename } from 'node:path';
import { runProgram } from './program.ts';
import { processTerminal } from './terminal.ts';

process.exitCode = await runProgram(process.argv.slice(2), {
  loadOperator: async () => (await import('./run-operator.ts')).runOperatorHere,
  write: (text) => process.stdout.write(text),
  writeError: (text) => process.stderr.write(text),
  terminal: processTerminal(),
  calledAs: basename(process.argv[1] ?? '').replace(/\.js$/, ''),
});
