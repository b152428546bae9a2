import type { Dispatcher } from 'undici';
import type { Answer } from './answer.ts';
import { failureFrom } from './connection-failure.ts';
import { errorWithoutAnswer } from './errors.ts';
import { onAbort } from './on-abort.ts';
import type { KubeRequest } from './request.ts';

export interface Limits {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/**
 * One request and its whole answer. Written on undici's dispatch interface for two reasons: it tells when
 * the request begins to go out, which is what separates `refused` from `unknown`; and the body is always
 * consumed, so that no error path can leave a connection blocked.
 */
export function exchange(
  dispatcher: Dispatcher,
  request: KubeRequest,
  options: Dispatcher.DispatchOptions,
  { signal, timeoutMs }: Limits,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let sent = false;
    let settled = false;
    let controller: Dispatcher.DispatchController | undefined;
    let status = 0;
    let headers: Answer['headers'] = {};
    const chunks: Buffer[] = [];

    const settle = (finish: () => void): void => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      unlisten();
      finish();
    };
    const giveUp = (reason: 'Aborted' | 'TimedOut', detail: string): void => {
      settle(() => {
        const error = errorWithoutAnswer(
          request,
          reason,
          detail,
          sent,
          reason === 'Aborted' ? signal.reason : undefined,
        );
        reject(error);
        controller?.abort(error);
      });
    };
    const deadlineMs = performance.now() + timeoutMs;
    const timeOut = (): void => giveUp('TimedOut', `no answer within ${Math.round(timeoutMs)} ms`);
    let unlisten = (): void => undefined;
    const timer = setTimeout(timeOut, timeoutMs);
    unlisten = onAbort(signal, () => giveUp('Aborted', 'it was aborted'));
    if (timeoutMs <= 0) timeOut();
    if (settled) return;

    dispatcher.dispatch(options, {
      onRequestStart(started) {
        // It waited for a connection, and this is the last moment to keep it from going out. After a pause of the
        // process the timer may come too late for that, so the clock is asked (fence of deliveries).
        if (performance.now() >= deadlineMs) timeOut();
        if (settled) return started.abort(new Error('given up before it was sent'));
        controller = started;
        sent = true;
      },
      onResponseStart(_, code, fields) {
        status = code;
        headers = fields;
      },
      onResponseData(_, chunk) {
        chunks.push(chunk);
      },
      onResponseEnd() {
        settle(() => resolve({ status, headers, text: Buffer.concat(chunks).toString('utf8') }));
      },
      onResponseError(_, error) {
        settle(() => {
          const { reason, detail } = failureFrom(error, sent);
          reject(errorWithoutAnswer(request, reason, detail, sent, error));
        });
      },
    });
  });
}
