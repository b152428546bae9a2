import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { createLog, type LogLevel } from './log.ts';

function collect(level?: LogLevel) {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const log = createLog({ destination, ...(level === undefined ? {} : { level }) });
  return { log, lines, last: () => JSON.parse(lines.at(-1) ?? '{}') as Record<string, unknown> };
}

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const [, secretLine = ''] = pem.split('\n');

test('a line has a time, a level in words, the message and the facts, and nothing of the machine', () => {
  const { log, last } = collect();
  log.with({ controller: 'gateway' }).info('Wrote the gateway Secret', { why: 'RootAdded' });
  const { time, ...rest } = last();
  expect(rest).toEqual({
    level: 'info',
    controller: 'gateway',
    why: 'RootAdded',
    message: 'Wrote the gateway Secret',
  });
  expect(time).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
});

test('the level can be changed while the program runs, for every log that came of it', () => {
  const { log, lines } = collect('warn');
  const child = log.with({ a: 1 });
  child.info('Unheard');
  expect(lines).toHaveLength(0);
  log.setLevel('debug');
  child.debug('Heard');
  expect(lines).toHaveLength(1);
});

test.each<[string, Record<string, unknown>]>([
  ['a Secret', { secret: { data: { 'tls.key': pem } } }],
  ['a key by its name', { 'tls.key': pem }],
  ['a nested key', { pair: { 'tls.key': pem } }],
  ['a kubeconfig', { member: { kubeconfig: pem } }],
  ['the message of an error', { error: new Error(`Cannot read ${pem}`) }],
  ['the cause of an error', { error: new Error('Cannot read', { cause: new Error(pem) }) }],
  ['a key that was cut off', { text: pem.slice(0, 90) }],
])('no key gets into a line by %s', (_, facts) => {
  const { log, lines, last } = collect();
  log.error('Failed', facts);
  expect(lines.join()).not.toContain(secretLine.slice(0, 20));
  expect(last()['message']).toBe('Failed');
});

test('no token gets into a line', () => {
  const { log, lines } = collect();
  log.warn('Refused', { error: new Error('authorization: Bearer abcdef.ghijkl.mnopqr was refused'), token: 'abcdef' });
  expect(lines.join()).not.toContain('abcdef');
});

test('an error tells its message, its reason and its causes', () => {
  const { log, last } = collect();
  const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
  log.error('Failed', { error: Object.assign(new Error('Cannot list', { cause }), { reason: 'Unreachable' }) });
  expect(last()['error']).toEqual({
    name: 'Error',
    message: 'Cannot list',
    reason: 'Unreachable',
    cause: { name: 'Error', message: 'refused', code: 'ECONNREFUSED' },
  });
});
