/** How the command ends; stable, so that scripts may rely on it. */
export const EXIT = {
  done: 0,
  /** Something that was asked for could not be done. */
  failed: 1,
  /** The command line could not be understood. */
  usage: 2,
  /** `verify` found a violation of S1 to S3. */
  violated: 3,
  /** What was waited for did not come in the time that was given. */
  notYet: 4,
  /** `verify` found no violation, but could not look at everything. */
  unseen: 5,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** What each code means, for help and the reference. */
export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  done: 'Done.',
  failed: 'Something that was asked for could not be done; the last line on standard error says what and what next.',
  usage: 'The command line could not be understood.',
  violated: '`verify`: a certificate that is in use would be refused.',
  notYet: '`rotate --wait`: the time was up before everything was on the new root.',
  unseen: '`verify`: no violation was found, but not everything could be looked at.',
};

/** A failure that a person is told in one line, without a stack. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
}
