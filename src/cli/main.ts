#!/usr/bin/env node
import { runProgram } from './program.ts';

process.exitCode = await runProgram(process.argv.slice(2), {
  loadOperator: async () => (await import('./run-operator.ts')).runOperatorHere,
  write: (text) => process.stdout.write(text),
  writeError: (text) => process.stderr.write(text),
});
