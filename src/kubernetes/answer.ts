export interface CallOptions {
  readonly signal: AbortSignal;
  /**
   * From the call to the whole answer, waiting for a free connection included; for a stream, to its
   * headers. After it nothing more is sent; a write that had begun has an unknown outcome.
   * @default the transport's `timeoutMs`
   */
  readonly timeoutMs?: number;
}

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface StreamAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Must be read to its end or closed with `close`, or its connection stays taken. */
  readonly chunks: AsyncIterable<Buffer>;
  close(): void;
}
