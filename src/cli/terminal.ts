import { createInterface } from 'node:readline/promises';
import { openScreen, type Screen } from './screen.ts';

/** Where a command reads and writes: the process's own streams, or a stand-in in tests. */
export interface Terminal {
  /** Results. */
  readonly write: (text: string) => void;
  /** Everything else: progress, questions, what went wrong. */
  readonly writeError: (text: string) => void;
  /** Lines and tables of a person's terminal; on a pipe plain lines. */
  readonly screen: () => Screen;
  /** The same on standard error, for progress beside a result. */
  readonly errorScreen: () => Screen;
  /** Puts a question to a person; `null` where nobody can answer. */
  readonly ask: ((question: string, signal: AbortSignal) => Promise<string>) | null;
}

/** The terminal of this process. */
export function processTerminal(): Terminal {
  const { stdin, stdout, stderr, env } = process;
  return {
    write: (text) => stdout.write(text),
    writeError: (text) => stderr.write(text),
    screen: () => openScreen(stdout, env),
    errorScreen: () => openScreen(stderr, env),
    ask:
      stdin.isTTY === true
        ? async (question, signal) => {
            const lines = createInterface({ input: stdin, output: stderr });
            try {
              return await lines.question(question, { signal });
            } finally {
              lines.close();
            }
          }
        : null,
  };
}

/** A terminal in memory: nobody answers but `answer`, and nothing is coloured. */
export function textTerminal(
  write: (text: string) => void,
  writeError: (text: string) => void,
  answer?: (question: string) => string,
): Terminal {
  return {
    write,
    writeError,
    screen: () => openScreen({ write }, {}),
    errorScreen: () => openScreen({ write: writeError }, {}),
    ask: answer === undefined ? null : (question) => Promise.resolve(answer(question)),
  };
}
