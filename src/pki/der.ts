/** One element of a DER text, as offsets into it: nothing is copied, so the exact bytes that were signed stay at hand. */
export interface DerElement {
  readonly tag: number;
  readonly start: number;
  readonly contentStart: number;
  readonly end: number;
}

/** Thrown within `src/pki` only; the readers turn it into a defect. */
export class DerError extends Error {
  override readonly name = 'DerError';
}

/**
 * Reads the element at `offset`, strictly: one-byte tag, definite length in its shortest form, and all of it before `limit`.
 * OpenSSL, Go and BoringSSL disagree about anything looser, and what they disagree about must not be taken for trusted.
 */
export function readElement(bytes: Uint8Array, offset: number, limit: number): DerElement {
  const tag = byteAt(bytes, offset, limit);
  if ((tag & 0x1f) === 0x1f) throw new DerError('tag of more than one byte');
  const first = byteAt(bytes, offset + 1, limit);
  let contentStart = offset + 2;
  let length = first;
  if (first >= 0x80) {
    const count = first & 0x7f;
    if (count === 0 || count > 4) throw new DerError('length is indefinite or too long');
    length = 0;
    for (let index = 0; index < count; index++) length = length * 256 + byteAt(bytes, contentStart + index, limit);
    contentStart += count;
    if (length < 0x80 || (count > 1 && length < 256 ** (count - 1)))
      throw new DerError('length not in its shortest form');
  }
  const end = contentStart + length;
  if (end > limit) throw new DerError('element is cut off');
  return { tag, start: offset, contentStart, end };
}

/** The elements that a constructed element holds; they must fill it exactly. */
export function childrenOf(bytes: Uint8Array, parent: DerElement): readonly DerElement[] {
  const children: DerElement[] = [];
  let offset = parent.contentStart;
  while (offset < parent.end) {
    const child = readElement(bytes, offset, parent.end);
    children.push(child);
    offset = child.end;
  }
  return children;
}

/** The element with its header, as a copy of its own. */
export function bytesOf(bytes: Uint8Array, element: DerElement): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes.subarray(element.start, element.end));
}

/** The element without its header. */
export function contentOf(bytes: Uint8Array, element: DerElement): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes.subarray(element.contentStart, element.end));
}

function byteAt(bytes: Uint8Array, offset: number, limit: number): number {
  const value = offset < limit ? bytes[offset] : undefined;
  if (value === undefined) throw new DerError('element is cut off');
  return value;
}
