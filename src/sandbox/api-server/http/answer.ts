import type { ServerResponse } from 'node:http';
import { stringify } from 'yaml';
import type { StatusError } from '../status.ts';
import type { AnswerBody } from '../verbs/call.ts';
import type { AnswerForm } from './negotiate.ts';

export interface ReadyAnswer {
  readonly code: number;
  readonly contentType: string;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

export function jsonAnswer(
  code: number,
  body: AnswerBody,
  form: AnswerForm,
  warnings: readonly string[] = [],
): ReadyAnswer {
  const headers =
    warnings.length === 0 ? {} : { headers: { warning: warnings.map((text) => `299 - ${JSON.stringify(text)}`) } };
  if (form.mediaType === 'application/yaml') {
    const value: unknown = 'text' in body ? JSON.parse(body.text) : body.value;
    return {
      code,
      contentType: 'application/yaml',
      text: stringify(value, { aliasDuplicateObjects: false }),
      ...headers,
    };
  }
  const text = 'text' in body ? body.text : JSON.stringify(body.value);
  return { code, contentType: 'application/json', text, ...headers };
}

export function textAnswer(code: number, text: string): ReadyAnswer {
  return { code, contentType: 'text/plain; charset=utf-8', text };
}

export function statusAnswer({ status }: StatusError): ReadyAnswer {
  const { retryAfterSeconds } = (status.details ?? {}) as { readonly retryAfterSeconds?: number };
  const retry = retryAfterSeconds === undefined ? {} : { headers: { 'retry-after': String(retryAfterSeconds) } };
  return { code: status.code, contentType: 'application/json', text: JSON.stringify(status), ...retry };
}

export function send(response: ServerResponse, answer: ReadyAnswer, withBody: boolean): void {
  if (response.destroyed) return;
  response.writeHead(answer.code, {
    'content-type': answer.contentType,
    'cache-control': 'no-cache, private',
    'content-length': Buffer.byteLength(answer.text, 'utf8'),
    ...(answer.headers as Readonly<Record<string, string | string[]>> | undefined),
  });
  // As a text it goes out in one piece with the head; as bytes it would be a TLS record, and a system call, of its own.
  response.end(withBody ? answer.text : undefined);
}
