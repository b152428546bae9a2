import { parseArgs } from 'node:util';
import type { HistorySettings } from './history.ts';
import { readHistory } from './history-file.ts';
import { judge } from './judge.ts';
import { reportOf } from './report.ts';

/**
 * Judges a recorded history again: `node dist/src/checker/main.js FILE [--request-grace-ms N] …`. Settings stand in
 * the file; an option replaces one of them. Exit code 0 only when the judgement is good; the last line is JSON.
 */
const numbers = {
  'request-grace-ms': 'requestGraceMs',
  'webhook-grace-ms': 'webhookGraceMs',
  'envoy-settle-ms': 'envoySettleMs',
  'gateway-grace-ms': 'gatewayGraceMs',
} as const satisfies Record<string, keyof HistorySettings>;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: Object.fromEntries(Object.keys(numbers).map((name) => [name, { type: 'string' as const }])),
});
const [path] = positionals;
if (path === undefined || positionals.length > 1) {
  throw new Error('Judging needs exactly one history file: main.js FILE');
}

const changed: Partial<Record<(typeof numbers)[keyof typeof numbers], number>> = {};
for (const [option, setting] of Object.entries(numbers)) {
  const given = values[option];
  if (given === undefined) continue;
  const ms = Number(given);
  if (!Number.isFinite(ms) || ms < 0) throw new Error(`Option --${option} is no number of milliseconds: "${given}"`);
  changed[setting] = ms;
}

const history = await readHistory(path);
const judgement = judge({ ...history, settings: { ...history.settings, ...changed } });
process.stdout.write(`${reportOf(judgement).join('\n')}\n`);
process.exitCode = judgement.ok ? 0 : 1;
