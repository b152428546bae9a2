/**
 * A stretch of a PEM text that claims to be a block. Only a certificate keeps its bytes: whatever else stands in the text, a
 * private key above all, is reported by its label and line and its bytes are dropped here (S4).
 */
export type PemBlock =
  | { readonly kind: 'certificate'; readonly der: Uint8Array; readonly line: number }
  | { readonly kind: 'foreign'; readonly label: string; readonly line: number }
  | { readonly kind: 'broken'; readonly label: string; readonly line: number; readonly defect: PemDefect };

/** Why a block gives no bytes. Each is what one of the verifiers would stumble over, silently or by refusing the whole file. */
export type PemDefect = 'BadBase64' | 'Empty' | 'Unterminated' | 'EndOfAnotherBlock';

// A label is kept short and plain, so that nothing which merely stands between the dashes reaches a message (S4).
const beginOfBlock = /^-----BEGIN ([A-Z0-9 ]{1,40})-----/;
const endOfBlock = /^-----END ([A-Z0-9 ]{1,40})-----/;
const base64Text = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * Splits a text into its blocks, in their order. Text outside of blocks, comments, blank lines, any line ending, a byte order
 * mark and a missing final newline are passed over (B25, B27, B30). A block may begin on the line on which the one before
 * ended, as files glued together without a newline have it; a `BEGIN` within a line of other text begins nothing.
 *
 * Never throws. Lines count from 1.
 */
export function splitPem(text: string | Uint8Array): readonly PemBlock[] {
  const blocks: PemBlock[] = [];
  let open: { label: string; line: number; body: string[] } | null = null;

  const lines = asText(text).split(/\r\n|\n|\r/);
  for (const [index, fullLine] of lines.entries()) {
    const line = index + 1;
    let rest = fullLine.trim();
    while (rest !== '') {
      const begin = beginOfBlock.exec(rest);
      if (begin !== null) {
        if (open !== null) blocks.push(broken(open, 'Unterminated'));
        open = { label: begin[1] ?? '', line, body: [] };
        rest = rest.slice(begin[0].length).trim();
        continue;
      }
      if (open === null) break;
      const endAt = rest.indexOf('-----END ');
      const end = endAt === -1 ? null : endOfBlock.exec(rest.slice(endAt));
      if (end === null) {
        open.body.push(rest);
        break;
      }
      if (endAt > 0) open.body.push(rest.slice(0, endAt));
      blocks.push(end[1] === open.label ? closed(open) : broken(open, 'EndOfAnotherBlock'));
      open = null;
      rest = rest.slice(endAt + end[0].length).trim();
    }
  }
  if (open !== null) blocks.push(broken(open, 'Unterminated'));
  return blocks;
}

/** The one form in which certificates are written: 64 columns, `\n`, a final newline. Equal bytes give equal text. */
export function encodePem(label: string, der: Uint8Array): string {
  const body = Buffer.from(der.buffer, der.byteOffset, der.byteLength).toString('base64');
  const lines: string[] = [];
  for (let start = 0; start < body.length; start += 64) lines.push(body.slice(start, start + 64));
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

/** PEM as text; Kubernetes hands out Secret data as bytes. The byte order mark of some editors is no part of the text. */
export function asText(text: string | Uint8Array): string {
  const decoded = typeof text === 'string' ? text : Buffer.from(text).toString('utf8');
  return decoded.startsWith('\uFEFF') ? decoded.slice(1) : decoded;
}

function closed(block: { label: string; line: number; body: readonly string[] }): PemBlock {
  if (block.label !== 'CERTIFICATE') return { kind: 'foreign', label: block.label, line: block.line };
  const body = block.body.join('').replace(/\s+/g, '');
  if (body === '') return broken(block, 'Empty');
  if (!base64Text.test(body)) return broken(block, 'BadBase64');
  const der = Buffer.from(body, 'base64');
  // Buffer passes over what it cannot read; only a body that comes back letter by letter was read as a whole.
  if (der.toString('base64') !== body) return broken(block, 'BadBase64');
  return { kind: 'certificate', der: new Uint8Array(der), line: block.line };
}

function broken(block: { label: string; line: number }, defect: PemDefect): PemBlock {
  return { kind: 'broken', label: block.label, line: block.line, defect };
}
