import type { Pair } from '../../world/real/certificates.ts';

/** One API server that the contract is held against. */
export interface ApiUnderTest {
  readonly name: 'real' | 'embedded';
  /** https://127.0.0.1:PORT */
  readonly server: string;
  readonly caPem: string;
  /** Of a user in system:masters. */
  readonly adminToken: string;
  /** Whose client certificates the server takes; undefined: none. */
  readonly clientAuthority?: Pair;
  stop(): Promise<void>;
}
