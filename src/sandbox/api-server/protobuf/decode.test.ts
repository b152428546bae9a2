import { expect, test } from 'vitest';
import { decodeProtobuf } from './decode.ts';

/** A field of bytes: number, length, content. */
function field(number: number, content: Buffer | string): Buffer {
  const bytes = Buffer.from(content as string);
  return Buffer.concat([Buffer.from([number * 8 + 2, bytes.length]), bytes]);
}

function enveloped(kind: string, message: Buffer): Buffer {
  const type = Buffer.concat([field(1, 'v1'), field(2, kind)]);
  return Buffer.concat([Buffer.from('k8s\0', 'latin1'), field(1, type), field(2, message), field(3, ''), field(4, '')]);
}

test('a Secret as kubectl sends it is read as JSON has it', () => {
  const label = Buffer.concat([field(1, 'a'), field(2, 'b')]);
  const metadata = Buffer.concat([field(1, 'one'), field(2, ''), field(3, 'here'), field(8, ''), field(11, label)]);
  const entries = ['x', 'y'].map((key) => field(2, Buffer.concat([field(1, key), field(2, Buffer.from([0, 255]))])));
  const immutable = Buffer.from([5 * 8, 1]);
  const message = Buffer.concat([field(1, metadata), ...entries, field(3, 'Opaque'), immutable]);
  expect(decodeProtobuf(enveloped('Secret', message))).toEqual({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'one', namespace: 'here', labels: { a: 'b' } },
    data: { x: 'AP8=', y: 'AP8=' },
    type: 'Opaque',
    immutable: true,
  });
});

test('what is broken, or of a kind that is not read, is not decoded', () => {
  expect(decodeProtobuf(Buffer.from('{"kind":"Secret"}'))).toBeUndefined();
  expect(decodeProtobuf(enveloped('Pod', Buffer.alloc(0)))).toBeUndefined();
  expect(decodeProtobuf(enveloped('Secret', Buffer.from([10, 200])))).toBeUndefined();
});
