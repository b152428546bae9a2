import type { Json, JsonObject } from '../json.ts';
import { type Field, MESSAGES, type Message } from './messages.ts';

/** Begins every object that Kubernetes writes as protobuf. */
const MAGIC = Buffer.from('k8s\0', 'latin1');

/** The object as JSON has it; undefined for bytes that are none, and for kinds that are not read here. */
export function decodeProtobuf(bytes: Buffer): JsonObject | undefined {
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  try {
    // An envelope: the type, and the object's own bytes.
    const envelope = new Map([...entries(bytes.subarray(MAGIC.length))]);
    const type = new Map([...entries(asBytes(envelope.get(1)))]);
    const kind = asBytes(type.get(2)).toString('utf8');
    const message = Object.hasOwn(MESSAGES, kind) ? MESSAGES[kind] : undefined;
    if (message === undefined) return undefined;
    const apiVersion = asBytes(type.get(1)).toString('utf8');
    return { apiVersion, kind, ...decode(asBytes(envelope.get(2)), message) };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

type Raw = Buffer | bigint;

function decode(bytes: Buffer, message: Message): JsonObject {
  const object: Record<string, Json> = {};
  for (const [number, raw] of entries(bytes)) {
    const field = message.get(number);
    if (field === undefined) continue;
    const value = readValue(raw, field);
    const before = object[field.name];
    if (field.repeated === true) object[field.name] = [...(Array.isArray(before) ? (before as Json[]) : []), value];
    else if (field.type === 'texts' || field.type === 'bytes-map') {
      object[field.name] = { ...(before as JsonObject | undefined), ...(value as JsonObject) };
    } else if (value !== '' || before !== undefined) object[field.name] = value;
  }
  return object;
}

function readValue(raw: Raw, { type }: Field): Json {
  switch (type) {
    case 'string':
      return asBytes(raw).toString('utf8');
    case 'bytes':
      return asBytes(raw).toString('base64');
    case 'integer':
      return Number(raw);
    case 'boolean':
      return raw === 1n;
    case 'texts':
      return mapEntry(raw, 'utf8');
    case 'bytes-map':
      return mapEntry(raw, 'base64');
    default:
      return decode(asBytes(raw), type);
  }
}

/** A map is written as one message for each of its entries. */
function mapEntry(raw: Raw, encoding: 'utf8' | 'base64'): JsonObject {
  const entry = new Map([...entries(asBytes(raw))]);
  return { [asBytes(entry.get(1)).toString('utf8')]: asBytes(entry.get(2)).toString(encoding) };
}

function asBytes(raw: Raw | undefined): Buffer {
  return Buffer.isBuffer(raw) ? raw : Buffer.alloc(0);
}

/** Number and raw value of each field. @throws {RangeError} where the bytes end too early or are of no known form */
function* entries(bytes: Buffer): Generator<readonly [number, Raw]> {
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at];
      if (byte === undefined || shift > 63n) throw new RangeError('The number does not end');
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const wire = tag & 7;
    if (wire === 0) {
      yield [tag >> 3, varint()];
      continue;
    }
    const length = wire === 2 ? Number(varint()) : wire === 1 ? 8 : wire === 5 ? 4 : Number.NaN;
    if (!(at + length <= bytes.length)) throw new RangeError('The field is longer than its message');
    yield [tag >> 3, bytes.subarray(at, at + length)];
    at += length;
  }
}
