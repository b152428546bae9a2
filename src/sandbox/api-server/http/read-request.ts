import type { IncomingMessage } from 'node:http';
import { parse } from 'yaml';
import { isObject, type Json, type JsonObject } from '../json.ts';
import { decodeProtobuf } from '../protobuf/decode.ts';
import { badRequest, bodyTypes, StatusError, unsupportedMediaType } from '../status.ts';

/** As the real server: etcd takes no larger object. */
const LARGEST_BODY_BYTES = 3 * 1024 * 1024;

/** The whole body. @throws {StatusError} 413 beyond 3 MiB */
export function readBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= LARGEST_BODY_BYTES) chunks.push(chunk);
    });
    request.on('error', reject);
    request.on('end', () => {
      if (length <= LARGEST_BODY_BYTES) resolve(Buffer.concat(chunks));
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

export interface Content {
  readonly text: string;
  /** Without parameters; empty for none. */
  readonly contentType: string;
}

/** The body as the rest of the server reads it. Protobuf becomes JSON, for the few kinds that come in no other form. */
export function contentOf(body: Buffer, header: string | undefined): Content {
  const contentType = mediaType(header);
  const decoded = contentType === 'application/vnd.kubernetes.protobuf' ? decodeProtobuf(body) : undefined;
  if (decoded !== undefined) return { text: JSON.stringify(decoded), contentType: 'application/json' };
  return { text: body.toString('utf8'), contentType };
}

const OBJECT_TYPES = ['application/json', 'application/yaml'];

/** The object of a create, replace or delete; `what` is what it should be. @throws {StatusError} */
export function parseObject(body: string, contentType: string, what: string, custom: boolean): JsonObject {
  if (contentType !== '' && !OBJECT_TYPES.includes(contentType)) throw unsupportedMediaType(bodyTypes(custom));
  // What a parser says repeats the text, and that may be a Secret (S4).
  const unrecognized = `the object provided is unrecognized (must be of type ${what}): couldn't get version/kind; json parse error`;
  const value = contentType === 'application/yaml' ? parseYaml(body) : parseJson(body, unrecognized);
  if (!isObject(value)) throw badRequest(unrecognized);
  return value;
}

export function parseJson(body: string, defect: string): Json {
  try {
    return JSON.parse(body) as Json;
  } catch {
    throw badRequest(defect);
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
