import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { constants as system } from 'node:os';

/** As a shell reports a process that SIGPIPE ended. */
const PIPE_CLOSED = 128 + system.signals.SIGPIPE;
const lookEveryMs = 1_000;

/** What of a process is needed to end with its output; the process itself, or a stand-in in tests. */
export interface WritingProcess {
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  exit(code: number): unknown;
}

/**
 * Ends the process once nobody can read its results: quietly when the reader has closed its pipe, as `head` does, else with a
 * line that says why they cannot be written. All that a command does may be cut off between any two requests (design 4).
 *
 * @param isPipeClosed whether that is so already; a pipe of which one only waits says it at the next write
 */
export function endWithOutput(process: WritingProcess, isPipeClosed = standardOutputIsClosed): void {
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
  setInterval(() => {
    if (isPipeClosed()) process.exit(PIPE_CLOSED);
  }, lookEveryMs).unref();
}

/** Linux refuses to open a pipe for writing that nobody has open for reading. Elsewhere the next write tells it. */
function standardOutputIsClosed(): boolean {
  // Whatever else it is cannot be opened anew in this way, or says nothing by it.
  if (!fstatSync(1).isFIFO()) return false;
  try {
    closeSync(openSync('/proc/self/fd/1', constants.O_WRONLY | constants.O_NONBLOCK));
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENXIO';
  }
}
