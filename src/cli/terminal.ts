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
  /** Puts a question to a person, who may end the input instead: `null`. Is `null` where nobody can answer. */
  readonly ask: ((question: string, signal: AbortSignal) => Promise<string | null>) | null;
}

/** The terminal of this process. */
export function processTerminal(): Terminal {
  const { stdin, stdout, stderr, env } = process;
  return {
    write: (text) => stdout.write(text),
    writeError: (text) => stderr.write(text),
    screen: () => openScreen(stdout, env),
    errorScreen: () => openScreen(stderr, env),
    ask: stdin.isTTY === true ? askOn(stdin, stderr, () => process.emit('SIGINT')) : null,
  };
}

/**
 * Asks on these streams, of which the input is a terminal. It is read raw meanwhile, so that Ctrl-C comes as a key.
 *
 * @param interrupt what Ctrl-C does
 */
export function askOn(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  interrupt: () => void,
): NonNullable<Terminal['ask']> {
  return async (question, signal) => {
    const lines = createInterface({ input, output, terminal: true });
    const ending = new AbortController();
    lines.on('SIGINT', interrupt);
    lines.on('close', () => ending.abort());
    try {
      return await lines.question(question, { signal: AbortSignal.any([signal, ending.signal]) });
    } catch (error) {
      if (signal.aborted || !ending.signal.aborted) throw error;
      // The cursor still stands behind the question.
      output.write('\n');
      return null;
    } finally {
      lines.close();
    }
  };
}

/** A terminal in memory: nobody answers but `answer`, and nothing is coloured. */
export function textTerminal(
  write: (text: string) => void,
  writeError: (text: string) => void,
  answer?: Terminal['ask'],
): Terminal {
  return {
    write,
    writeError,
    screen: () => openScreen({ write }, {}),
    errorScreen: () => openScreen({ write: writeError }, {}),
    ask: answer ?? null,
  };
}
