/** One API server that the contract is held against. */
export interface ApiUnderTest {
  readonly name: 'real' | 'embedded';
  /** https://127.0.0.1:PORT */
  readonly server: string;
  readonly caPem: string;
  /** Of a user in system:masters. */
  readonly adminToken: string;
  /** Certificate and key (PEM) by which the server knows a user. */
  readonly clientCertificate: (
    username: string,
    group?: string,
  ) => Promise<{ readonly certificatePem: string; readonly keyPem: string }>;
  /** Kinds of the requests that came in, by the server's own account; undefined where it keeps none. */
  readonly kindsSeen?: () => ReadonlySet<string>;
  stop(): Promise<void>;
}
