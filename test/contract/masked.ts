/**
 * Answers without what differs from one run to the next: uids, versions, times, random names. The same uid or version
 * within one test gets the same mark, so that "unchanged" and "changed" still show.
 *
 * @module
 */
export interface Marks {
  /** @returns the value without its accidental parts */
  mask(value: unknown): unknown;
  /** The same for the path and query of a request. */
  maskUrl(url: string): string;
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const dayMs = 86_400_000;

export function createMarks(server: string): Marks {
  const uids = new Map<string, string>();
  const versions = new Map<string, string>();
  const mark = (known: Map<string, string>, word: string, value: string): string => {
    const present = known.get(value) ?? `<${word} ${known.size + 1}>`;
    known.set(value, present);
    return present;
  };

  const text = (value: string): string => {
    if (time.test(value) && Math.abs(Date.parse(value) - Date.now()) < dayMs) {
      return value.includes('.') ? '<time with fractions>' : '<time>';
    }
    if (value.startsWith('LS0tLS1CRUdJTi')) return '<PEM>';
    return value
      .replaceAll(server, '<server>')
      .replaceAll(uuid, (uid) => mark(uids, 'uid', uid))
      .replaceAll(/(resource ?version[^:]*: )\d+(?: \(\d+\))?/gi, '$1<number>')
      .replaceAll(/(in record \(|, current: )\d+/g, '$1<number>')
      .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:<port>');
  };

  const field = (key: string, value: unknown, parent: Readonly<Record<string, unknown>>, isList: boolean): unknown => {
    if (typeof value === 'string') {
      if (key === 'resourceVersion' && value !== '' && value !== '0')
        return isList ? '<version of a list>' : mark(versions, 'version', value);
      if (key === 'continue' && value !== '') return '<continue>';
      if (key === 'token') return '<token>';
      const prefix = parent['generateName'];
      if (key === 'name' && typeof prefix === 'string' && value.startsWith(prefix)) return `${prefix}<random>`;
    }
    if (key === 'fieldsV1') return ownedPaths(value);
    return mask(value, isList || isOfMany(parent) ? key === 'metadata' : false);
  };

  const mask = (value: unknown, isListMeta = false): unknown => {
    if (typeof value === 'string') return text(value);
    if (Array.isArray(value)) return value.map((item) => mask(item));
    if (typeof value !== 'object' || value === null) return value;
    const object = value as Readonly<Record<string, unknown>>;
    const masked = Object.fromEntries(
      Object.entries(object).map(([key, one]) => [key, field(key, one, object, isListMeta)]),
    );
    return masked['kind'] === 'Table' ? withoutAges(masked) : masked;
  };

  /** Where ages stand. Of the tables of a watch only the first names its columns. */
  let ages: ReadonlySet<number> = new Set();
  const withoutAges = (table: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
    const columns = (table['columnDefinitions'] ?? []) as readonly { readonly name: string }[];
    if (columns.length > 0) {
      ages = new Set(columns.flatMap(({ name }, index) => (/age|created/i.test(name) ? [index] : [])));
    }
    const rows = ((table['rows'] ?? []) as readonly { readonly cells: readonly unknown[] }[]).map((row) => ({
      ...row,
      cells: row.cells.map((cell, index) => (ages.has(index) ? '<age>' : cell)),
    }));
    const short = columns.map((column) =>
      Object.fromEntries(Object.entries(column).filter(([key]) => key !== 'description')),
    );
    return { ...table, columnDefinitions: short, rows };
  };

  return {
    mask: (value) => mask(value),
    maskUrl: (url) =>
      text(url.replace(/continue=[^&]+/, 'continue=TOKEN').replace(/resourceVersion=[1-9]\d*/, 'resourceVersion=N')),
  };
}

/** Lists, tables and bookmarks carry the version of the whole store, which others move, too. */
function isOfMany(object: Readonly<Record<string, unknown>>): boolean {
  const { kind, metadata } = object;
  if (kind === 'Table' || (typeof kind === 'string' && kind.endsWith('List'))) return true;
  const meta = metadata as Readonly<Record<string, unknown>> | undefined;
  return meta !== undefined && 'resourceVersion' in meta && !('name' in meta) && !('uid' in meta);
}

/** `{f:data: {f:a: {}}}` as `f:data/f:a`: short enough to be read in a diff. */
function ownedPaths(fields: unknown, path = ''): readonly string[] {
  const entries = Object.entries((fields ?? {}) as Readonly<Record<string, unknown>>);
  if (entries.length === 0) return [path];
  return entries.flatMap(([key, below]) => ownedPaths(below, path === '' ? key : `${path}/${key}`)).sort();
}
