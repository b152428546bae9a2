/**
 * `npm test`: builds the real parts that are missing, runs every test, says what was skipped, and ends with one line that
 * any CI can read: `N passed, N failed`.
 *
 * @module
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aboutHowLong, ensureParts, missingParts, whyUnbuildable } from '../world/real/parts/ensure.ts';

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numFailedTestSuites: number;
  readonly numPendingTests: number;
  readonly success: boolean;
}

/** The runner ended before it could tell. */
const NOTHING_RAN: Report = {
  numPassedTests: 0,
  numFailedTests: 1,
  numFailedTestSuites: 0,
  numPendingTests: 0,
  success: false,
};

/** Builds what is missing. @returns why the tests on real parts cannot run; `null` when all parts are there */
async function whyNotReal(signal: AbortSignal): Promise<string | null> {
  const missing = await missingParts();
  if (missing.length === 0) return null;
  const unbuildable = missing.flatMap((part) => (part.state === 'unbuildable' ? [part] : []));
  if (unbuildable.length > 0) return whyUnbuildable(unbuildable);
  const toBuild = missing.flatMap((part) => (part.state === 'missing' ? [part] : []));
  console.log(`Building ${toBuild.map((part) => part.name).join(', ')} first, which takes ${aboutHowLong(toBuild)}`);
  await ensureParts(undefined, {
    signal,
    onProgress: ({ step, part }) => console.log(`${step} ${part.name} ${part.version}`),
  });
  return null;
}

function runVitest(projects: readonly string[], reportFile: string): Promise<number> {
  const filters = projects.flatMap((project) => ['--project', project]);
  const args = ['node_modules/vitest/vitest.mjs', 'run', ...filters, ...process.argv.slice(2)];
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`];
  const child = spawn(process.execPath, [...args, ...reporters], { stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => resolve(code ?? 1));
  });
}

const stop = new AbortController();
process.on('SIGINT', () => stop.abort());
const folder = mkdtempSync(join(tmpdir(), 'keyturn-test-'));
const reportFile = join(folder, 'report.json');
const notReal = await whyNotReal(stop.signal);
const strict = process.env['CI'] === 'true';
const code = await runVitest(notReal === null ? ['unit', 'embedded', 'real'] : ['unit', 'embedded'], reportFile);
const report = existsSync(reportFile) ? (JSON.parse(readFileSync(reportFile, 'utf8')) as Report) : NOTHING_RAN;
rmSync(folder, { recursive: true, force: true });
let failed = report.numFailedTests;
// A file that does not even load has failed, though no test of it was counted.
if (failed === 0 && (code !== 0 || !report.success)) failed = Math.max(1, report.numFailedTestSuites);
if (notReal !== null) {
  console.log(`Skipped every test on real parts, since ${notReal}`);
  if (strict) failed += 1;
}
if (report.numPendingTests > 0) console.log(`${report.numPendingTests} tests skipped by themselves`);
console.log(`${report.numPassedTests} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
