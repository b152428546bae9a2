/** The command line of a sandbox. */
export interface SandboxFlags {
  readonly runtimes: number;
  readonly rotations: number;
  readonly rate: number;
  readonly seed: number;
  readonly exit: boolean;
  readonly output: 'table' | 'json';
}
