/**
 * A pattern as Go understands it (RE2). Named groups and leading flags are translated; what JavaScript reads differently
 * otherwise (Unicode classes with one letter, possessive matching) is not used by CRDs. Undefined where it is malformed.
 */
export function goPattern(source: string): RegExp | undefined {
  const known = COMPILED.get(source);
  if (known !== undefined) return known;
  const compiled = compile(source);
  if (compiled !== undefined) COMPILED.set(source, compiled);
  return compiled;
}

/** Patterns stand in schemas, so there are few of them, and each is used for every write. */
const COMPILED = new Map<string, RegExp>();

function compile(source: string): RegExp | undefined {
  const flagged = /^\(\?([ims]+)\)/.exec(source);
  const flags = flagged?.[1] ?? '';
  const body = source
    .slice(flagged?.[0].length ?? 0)
    .replaceAll('(?P<', '(?<')
    .replaceAll('\\A', '^')
    .replaceAll('\\z', '$');
  // With `u` a character is a code point, as in Go; but it refuses escapes that Go allows, such as `\-` or `\_`.
  for (const unicode of ['u', '']) {
    try {
      return new RegExp(body, flags + unicode);
    } catch {
      // Try the other reading.
    }
  }
  return undefined;
}
