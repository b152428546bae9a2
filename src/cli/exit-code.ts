/** How the command ends; stable, so that scripts may rely on it. */
export const EXIT = {
  done: 0,
  /** Something that was asked for could not be done. */
  failed: 1,
  /** The command line could not be understood. */
  usage: 2,
} as const;

/** A failure that a person is told in one line, without a stack. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
}
