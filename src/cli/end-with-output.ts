import { constants } from 'node:os';

/** As a shell reports a process that SIGPIPE ended. */
const PIPE_CLOSED = 128 + constants.signals.SIGPIPE;

/** What of a process is needed to end with its output; the process itself, or a stand-in in tests. */
export interface WritingProcess {
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  exit(code: number): unknown;
}

/**
 * Ends the process once nobody can read its results: quietly when the reader has closed its pipe, as `head` does, else with a
 * line that says why they cannot be written. All that a command does may be cut off between any two requests (design 4).
 * A reader that goes away is noticed at the next write.
 */
export function endWithOutput(process: WritingProcess): void {
  const { stdout, stderr } = process;
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') {
      process.exit(PIPE_CLOSED);
      return;
    }
    stderr.write(`keyturn: Standard output cannot be written: ${error.message}\n`);
    process.exit(1);
  });
  // There is nowhere to say it.
  stderr.on('error', () => process.exit(1));
}
