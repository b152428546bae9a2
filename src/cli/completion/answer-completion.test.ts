import { describe, expect, test } from 'vitest';
import { programOf } from '../program.ts';
import { answerCompletion } from './answer-completion.ts';
import { commandTable } from './command-table.ts';

const parts = {
  loadOperator: () => Promise.reject(new Error('not asked for')),
  write: () => undefined,
  writeError: () => undefined,
};
const table = commandTable(programOf(parts, () => Promise.resolve()));
let asked: readonly string[] | null = null;
const hub = (options: readonly string[]): Promise<string> => {
  asked = options;
  return Promise.resolve('trustdomain/klm\nruntimetrust/runtime-1\nruntimetrust/runtime-2\n');
};

/** The candidates without their summaries, and the directive. */
async function complete(...line: readonly string[]): Promise<readonly string[]> {
  asked = null;
  const answer = await answerCompletion(line, table, hub);
  return answer
    .trimEnd()
    .split('\n')
    .map((text) => text.split('\t')[0] ?? '');
}

describe('what may stand in place of the last word', () => {
  test('is a command at the beginning, with its summary', async () => {
    expect(await complete('re')).toEqual(['resume', 'revoke', ':4']);
    expect(await complete('--v')).toEqual(['--version', ':4']);
    expect(await answerCompletion(['pla'], table, hub)).toMatch(/^plan\tSays what happens next, .*\n:4\n$/);
  });

  test('is an option of the command, or a value of the option before', async () => {
    expect(await complete('plan', '--hub')).toEqual(['--hub-only', ':4']);
    expect(await complete('status', '-o', 'y')).toEqual(['yaml', ':4']);
    expect(await complete('status', '--kubeconfig', '')).toEqual([':0']);
    expect(await complete('status', '--context', '')).toEqual([':4']);
  });

  test('is an argument in its turn', async () => {
    expect(await complete('completion', '')).toEqual(['bash', 'zsh', 'fish', ':4']);
    expect(await complete('completion', 'bash', '')).toEqual([':4']);
    expect(await complete('nonsense', '')).toEqual([':4']);
  });

  test('is a runtime of the hub that the line names', async () => {
    expect(await complete('explain', '')).toEqual(['runtime-1', 'runtime-2', ':4']);
    expect(asked).toEqual([]);
    expect(await complete('verify', '--context', 'prod', '-n', 'kcp', 'runtime-1', 'r')).toEqual(['runtime-2', ':4']);
    expect(asked).toEqual(['--context', 'prod', '-n', 'kcp']);
    await complete('status', '');
    expect(asked, 'the hub was asked for nothing').toBeNull();
  });
});
