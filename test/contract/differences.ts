import { isDeepStrictEqual } from 'node:util';
import type { Told } from './speaker.ts';

/** What a double answers otherwise than the real server, as lines of Markdown; empty where nothing. */
export function differences(real: readonly Told[], double: readonly Told[]): string {
  return double
    .map(({ request, answer }, index) => {
      const expected = real[index];
      if (expected === undefined) return `- ${request}\n  - not asked of the real server at this place\n`;
      const lines = differing(expected.answer, answer, '');
      if (request !== expected.request) lines.unshift(`asked \`${expected.request}\` of the real server`);
      return lines.length === 0 ? '' : `- ${request}\n${lines.map((line) => `  - ${line}\n`).join('')}`;
    })
    .join('');
}

/** One line for each smallest part that differs. */
function differing(real: unknown, double: unknown, path: string): string[] {
  if (isDeepStrictEqual(real, double)) return [];
  if (isRecord(real) && isRecord(double) && Array.isArray(real) === Array.isArray(double)) {
    const keys = new Set([...Object.keys(real), ...Object.keys(double)]);
    return [...keys].flatMap((key) => differing(real[key], double[key], path === '' ? key : `${path}.${key}`));
  }
  return [`${path}: real ${shown(real)}, embedded ${shown(double)}`];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function shown(value: unknown): string {
  return value === undefined ? 'nothing' : `\`${JSON.stringify(value).slice(0, 400)}\``;
}
