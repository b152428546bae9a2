import type { Dispatcher, Pool } from 'undici';
import type { StreamAnswer } from './answer.ts';
import { failureFrom } from './connection-failure.ts';
import { errorWithoutAnswer } from './errors.ts';
import { onAbort } from './on-abort.ts';
import type { KubeRequest } from './request.ts';

export interface StreamLimits {
  /** Each of them ends the stream. */
  readonly signals: readonly AbortSignal[];
  /** To the headers. How long the stream may be silent afterwards is its reader's business. */
  readonly timeoutMs: number;
}

/** Opens an answer that goes on for minutes. */
export async function openStream(
  pool: Pool,
  request: KubeRequest,
  options: Dispatcher.DispatchOptions,
  { signals, timeoutMs }: StreamLimits,
): Promise<StreamAnswer> {
  const ending = new AbortController();
  const listening: (() => void)[] = [];
  const unlisten = (): void => {
    for (const off of listening) off();
  };
  const end = (): void => {
    unlisten();
    ending.abort(new Error('the stream was closed'));
  };
  listening.push(...signals.map((signal) => onAbort(signal, end)));
  const timer = setTimeout(end, timeoutMs);
  try {
    const { statusCode, headers, body } = await pool.request({ ...options, signal: ending.signal });
    // Without a listener the error of a closed body, which nobody reads any more, would end the process.
    body.on('error', () => undefined);
    return { status: statusCode, headers, chunks: readable(body, unlisten), close: end };
  } catch (error) {
    unlisten();
    if (signals.some((signal) => signal.aborted)) throw errorWithoutAnswer(request, 'Aborted', 'it was aborted', true);
    if (ending.signal.aborted) throw errorWithoutAnswer(request, 'TimedOut', `no answer within ${timeoutMs} ms`, true);
    const { reason, detail } = failureFrom(error, true);
    throw errorWithoutAnswer(request, reason, detail, true, error);
  } finally {
    clearTimeout(timer);
  }
}

async function* readable(body: AsyncIterable<Buffer>, finished: () => void): AsyncGenerator<Buffer> {
  try {
    yield* body;
  } finally {
    finished();
  }
}
