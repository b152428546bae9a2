import type { ArgumentRow, CommandRow, OptionRow } from './command-table.ts';

/** What may stand in place of the last word. */
export interface Completion {
  readonly words: readonly { readonly word: string; readonly summary: string }[];
  /** Names of the fleet's runtimes may stand there too; only the hub knows them. */
  readonly runtimes: boolean;
  /** The name of a file may stand there. */
  readonly files: boolean;
}

const nothing: Completion = { words: [], runtimes: false, files: false };
const help = { word: '--help', summary: 'show help' };

/** @param line the words after the name of the program, the last one as far as it is written, which may be empty */
export function completeWords(line: readonly string[], commands: readonly CommandRow[]): Completion {
  const current = line.at(-1) ?? '';
  const before = line.slice(0, -1);
  const begun = before.findIndex((word) => !word.startsWith('-'));
  const command = commands.find(({ name }) => name === before[begun]);
  if (begun === -1) {
    const top = current.startsWith('-')
      ? [help, { word: '--version', summary: 'show the version' }]
      : commands.map(({ name, summary }) => ({ word: name, summary }));
    return matching({ ...nothing, words: top }, current);
  }
  if (command === undefined) return nothing;
  const given = before.slice(begun + 1);
  const option = takenBy(given.at(-1), command.options);
  if (option !== undefined) {
    return matching({ ...nothing, words: plain(option.choices), files: option.value === 'file' }, current);
  }
  if (current.startsWith('-')) {
    const words = command.options.map(({ long, summary }) => ({ word: long, summary }));
    return matching({ ...nothing, words: [...words, help] }, current);
  }
  const argument = argumentAt(command, given);
  if (argument === undefined) return nothing;
  return matching({ ...nothing, words: plain(argument.choices), runtimes: argument.name === 'RUNTIME' }, current);
}

/** The options by which a command line names its hub, as they stand there. */
export function hubOptionsIn(line: readonly string[]): readonly string[] {
  const names = ['--kubeconfig', '--context', '-n', '--namespace', '-d', '--domain'];
  return line.slice(0, -1).flatMap((word, index) => {
    const value = line[index + 1];
    return names.includes(word) && value !== undefined && index + 1 < line.length - 1 ? [word, value] : [];
  });
}

/** The option of which the word after this one is the value. */
function takenBy(word: string | undefined, options: readonly OptionRow[]): OptionRow | undefined {
  if (word === undefined) return undefined;
  return options.find(({ short, long, value }) => value !== undefined && (word === short || word === long));
}

/** The argument whose turn it is after these words. */
function argumentAt(command: CommandRow, given: readonly string[]): ArgumentRow | undefined {
  const place = given.filter(
    (word, index) => !word.startsWith('-') && takenBy(given[index - 1], command.options) === undefined,
  ).length;
  const last = command.arguments.at(-1);
  return command.arguments[place] ?? (last?.many === true ? last : undefined);
}

function plain(words: readonly string[]): Completion['words'] {
  return words.map((word) => ({ word, summary: '' }));
}

function matching(completion: Completion, current: string): Completion {
  return { ...completion, words: completion.words.filter(({ word }) => word.startsWith(current)) };
}
