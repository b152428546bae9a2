import { spawnSync } from 'node:child_process';
import { beforeAll, describe, expect, test } from 'vitest';
import { programOf } from '../program.ts';
import { commandTable } from './command-table.ts';
import { completionScript } from './completion-script.ts';

const parts = {
  loadOperator: () => Promise.reject(new Error('not asked for')),
  write: () => undefined,
  writeError: () => undefined,
};
const table = commandTable(programOf(parts, () => Promise.resolve()));

test('every command is in the table, with its options and their choices', () => {
  expect(table.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['status', 'plan', 'explain', 'rotate', 'verify', 'operator', 'completion']),
  );
  const output = table.find(({ name }) => name === 'status')?.options.find(({ long }) => long === '--output');
  expect(output).toMatchObject({ short: '-o', value: 'format', byDefault: 'table' });
  expect(output?.choices).toEqual(['table', 'wide', 'json', 'yaml', 'name']);
});

const has = (shell: string): boolean => spawnSync(shell, ['-c', 'exit 0']).status === 0;

describe.skipIf(!has('bash'))('bash', () => {
  let script: string;
  beforeAll(() => {
    script = completionScript('bash', table);
  });
  const complete = (...words: string[]): readonly string[] => {
    const program = `${script}
keyturn() { [ "$1 $2 $3" = "__complete explain " ] && printf 'runtime-1\\nruntime-2\\n:4\\n'; }
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
_keyturn; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', program], { encoding: 'utf8' });
    expect(stderr).toBe('');
    return stdout.split('\n').filter((line) => line !== '');
  };

  test('completes commands', () => {
    expect(complete('keyturn', 'st')).toEqual(['status']);
    expect(complete('keyturn', 're')).toEqual(['resume', 'revoke']);
  });

  test('completes options of the command that stands there, and their values', () => {
    expect(complete('keyturn', 'plan', '--hub')).toEqual(['--hub-only']);
    expect(complete('keyturn', 'status', '-o', 'y')).toEqual(['yaml']);
    expect(complete('keyturn', 'completion', '')).toEqual(['bash', 'zsh', 'fish']);
  });

  test('completes names of runtimes, asked of the hub', () => {
    expect(complete('keyturn', 'explain', '')).toEqual(['runtime-1', 'runtime-2']);
    expect(complete('keyturn', 'verify', 'runtime-2')).toEqual(['runtime-2']);
  });
});

test.skipIf(!has('zsh'))('zsh can read its script', () => {
  const { status, stderr } = spawnSync('zsh', ['-n'], { input: completionScript('zsh', table), encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
});

test.skipIf(!has('fish'))('fish completes commands, options, their values, and runtimes', () => {
  const complete = (line: string): readonly string[] => {
    const program = `${completionScript('fish', table)}
function keyturn; printf 'runtime-1\\nruntime-2\\n:4\\n'; end
complete -C ${JSON.stringify(line)}`;
    const { stdout, stderr } = spawnSync('fish', ['--no-config', '--command', program], { encoding: 'utf8' });
    expect(stderr).toBe('');
    return stdout.split('\n').flatMap((text) => text.split('\t')[0] || []);
  };
  expect(complete('keyturn re')).toEqual(['resume', 'revoke']);
  expect(complete('keyturn plan --hub')).toEqual(['--hub-only']);
  expect(complete('keyturn status -o y')).toEqual(['yaml']);
  expect(complete('keyturn explain ')).toEqual(['runtime-1', 'runtime-2']);
});

test('every script names every command and every option, and balances its quotes', () => {
  for (const shell of ['bash', 'zsh', 'fish'] as const) {
    const script = completionScript(shell, table);
    for (const { name, options } of table) {
      expect(script).toContain(name);
      for (const { long } of options) expect(script).toContain(shell === 'fish' ? `-l ${long.slice(2)}` : long);
    }
    if (shell === 'bash') continue;
    for (const line of script.split('\n').filter((text) => !text.startsWith('#'))) {
      expect((line.replaceAll("\\'", '').match(/'/g) ?? []).length % 2, line).toBe(0);
    }
  }
});
