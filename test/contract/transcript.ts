import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createMarks, type Marks } from './masked.ts';
import type { Told } from './speaker.ts';

/** Test's sentence → what was asked and answered in it, masked. Kept as one line for each answer, so that a change shows. */
export type Answers = Readonly<Record<string, readonly Told[]>>;

const folder = fileURLToPath(new URL('./answers/', import.meta.url)).replace('/dist/', '/');

/** What the real API server answered, as it is kept in the project. Empty where nothing was kept yet. */
export async function readAnswers(part: string): Promise<Answers> {
  try {
    const lines = (await readFile(join(folder, `${part}.jsonl`), 'utf8')).split('\n').filter((line) => line !== '');
    const answers: Record<string, Told[]> = {};
    for (const line of lines) {
      const [sentence, request, answer] = JSON.parse(line) as [string, string, unknown];
      answers[sentence] = [...(answers[sentence] ?? []), { request, answer }];
    }
    return answers;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

export async function writeAnswers(part: string, answers: Answers): Promise<void> {
  const lines = Object.entries(answers).flatMap(([sentence, told]) =>
    told.map(({ request, answer }) => `${JSON.stringify([sentence, request, answer])}\n`),
  );
  await writeFile(join(folder, `${part}.jsonl`), lines.join(''));
}

/** What is asked and answered in one test after the other. */
export interface Transcript {
  begin(): void;
  tell(told: Told): void;
  /** What the test that has begun last asked and was answered. */
  soFar(): readonly Told[];
}

export function createTranscript(server: () => string): Transcript {
  let marks: Marks | undefined;
  let told: Told[] = [];
  return {
    begin() {
      marks = createMarks(server());
      told = [];
    },
    tell(one) {
      if (marks === undefined) return;
      // At once: the marks count versions in the order in which they come up.
      told.push({ request: marks.maskUrl(one.request), answer: marks.mask(one.answer) });
    },
    soFar: () => told,
  };
}
