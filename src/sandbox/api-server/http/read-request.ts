import type { IncomingMessage } from 'node:http';
import { parse } from 'yaml';
import { isObject, type Json, type JsonObject } from '../json.ts';
import { badRequest, StatusError, unsupportedMediaType } from '../status.ts';

/** As the real server: etcd takes no larger object. */
const LARGEST_BODY_BYTES = 3 * 1024 * 1024;

/** The whole body as text. @throws {StatusError} 413 beyond 3 MiB */
export function readBody(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= LARGEST_BODY_BYTES) chunks.push(chunk);
    });
    request.on('error', reject);
    request.on('end', () => {
      if (length <= LARGEST_BODY_BYTES) resolve(Buffer.concat(chunks).toString('utf8'));
      else reject(tooLarge());
    });
  });
}

function tooLarge(): StatusError {
  const message = `Request entity too large: limit is ${LARGEST_BODY_BYTES}`;
  return new StatusError(413, 'RequestEntityTooLarge', message);
}

/** `application/json` from `application/json; charset=utf-8`; empty for no header. */
export function mediaType(header: string | undefined): string {
  return (header ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

const OBJECT_TYPES = ['application/json', 'application/yaml'];

/** The object of a create, replace or delete. @throws {StatusError} */
export function parseObject(body: string, contentType: string): JsonObject {
  if (contentType !== '' && !OBJECT_TYPES.includes(contentType)) throw unsupportedMediaType(OBJECT_TYPES);
  const value = contentType === 'application/yaml' ? parseYaml(body) : parseJson(body);
  if (!isObject(value)) throw badRequest('the object provided is unrecognized (must be of type JSON object)');
  return value;
}

export function parseJson(body: string): Json {
  try {
    return JSON.parse(body) as Json;
  } catch {
    // What the parser says repeats the text, and that may be a Secret (S4).
    throw badRequest('the body of the request is no valid JSON');
  }
}

export function parseYaml(body: string): Json {
  const text = body.trimStart();
  // Nearly every client sends JSON, which is YAML and much faster to read as what it is.
  if (text.startsWith('{')) {
    try {
      return JSON.parse(text) as Json;
    } catch {
      // YAML's flow style looks the same from the first letter.
    }
  }
  try {
    return parse(body) as Json;
  } catch {
    throw badRequest('error decoding YAML');
  }
}
