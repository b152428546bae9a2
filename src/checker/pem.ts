export interface PemBlock {
  readonly label: string;
  readonly der: Buffer;
}

const block = /-----BEGIN ([A-Z0-9 ]+)-----([\s\S]*?)-----END \1-----/g;

/** All blocks of a text, whatever stands around them. Headers inside a block (as old encrypted keys have) are skipped. */
export function pemBlocks(text: string): PemBlock[] {
  const found: PemBlock[] = [];
  for (const [, label = '', body = ''] of text.matchAll(block)) {
    const base64 = body.replace(/^[\w-]+: .*$/gm, '').replace(/\s+/g, '');
    found.push({ label, der: Buffer.from(base64, 'base64') });
  }
  return found;
}
