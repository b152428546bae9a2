import type { Terminal } from './terminal.ts';

export const OUTPUT_FORMATS = ['table', 'wide', 'json', 'yaml', 'name'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** A result in every form that can be asked for. */
export interface Presentable {
  /** For people. */
  lines(wide: boolean): readonly string[];
  /** For programs; what is called what is stable. */
  readonly value: unknown;
  /** `kind/name`, one per line. */
  readonly names: readonly string[];
}

/** A result as text, with its last line end. */
export async function rendered(result: Presentable, format: OutputFormat): Promise<string> {
  switch (format) {
    case 'json':
      return `${JSON.stringify(result.value, null, 2)}\n`;
    case 'yaml': {
      const { stringify } = await import('yaml');
      return stringify(result.value, { lineWidth: 0, aliasDuplicateObjects: false });
    }
    case 'name':
      return result.names.map((name) => `${name}\n`).join('');
    default:
      return result
        .lines(format === 'wide')
        .map((line) => `${line}\n`)
        .join('');
  }
}

export async function print(terminal: Terminal, result: Presentable, format: OutputFormat): Promise<void> {
  terminal.write(await rendered(result, format));
}
