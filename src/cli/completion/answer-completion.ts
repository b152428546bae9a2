import type { CommandRow } from './command-table.ts';
import { completeWords, hubOptionsIn } from './complete-words.ts';

/** Cobra's words for what a shell may do with an answer; kubectl reads them from its plugins. */
const filesToo = ':0';
const noFiles = ':4';

/**
 * What may stand in place of the last word, as kubectl expects it of `kubectl_complete-keyturn`: one candidate a line, with a
 * tab before its summary, and at the end a directive.
 *
 * @param askHub names as `keyturn status -o name` prints them; an empty text where the hub does not tell
 */
export async function answerCompletion(
  line: readonly string[],
  commands: readonly CommandRow[],
  askHub: (hubOptions: readonly string[]) => Promise<string>,
): Promise<string> {
  const { words, runtimes, files } = completeWords(line, commands);
  const current = line.at(-1) ?? '';
  const names = runtimes ? runtimesIn(await askHub(hubOptionsIn(line))) : [];
  return [
    ...words.map(({ word, summary }) => (summary === '' ? word : `${word}\t${summary}`)),
    ...names.filter((name) => name.startsWith(current) && !line.slice(0, -1).includes(name)),
    files ? filesToo : noFiles,
  ]
    .map((text) => `${text}\n`)
    .join('');
}

function runtimesIn(names: string): readonly string[] {
  return names.split('\n').flatMap((name) => (name.startsWith('runtimetrust/') ? [name.slice(13)] : []));
}
