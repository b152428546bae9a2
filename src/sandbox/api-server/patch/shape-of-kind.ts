import { BUILT_IN_TYPES } from './built-in-types.ts';
import { ATOMIC, DEDUCED, type Shape, type StructShape } from './shape.ts';

/** The shape of a built-in kind; deduced fields for one that is not in the table. */
export function shapeOfKind(apiVersion: string, kind: string): Shape {
  const shape = typeShape(apiVersion.startsWith('events.k8s.io/') ? `Events${kind}` : kind);
  if (shape === undefined) return DEDUCED;
  return { ...shape, fields: { ...shape.fields, apiVersion: ATOMIC, kind: ATOMIC } };
}

const LINES: ReadonlyMap<string, string> = new Map(
  BUILT_IN_TYPES.trim()
    .replaceAll('\n  ', ' ')
    .split('\n')
    .map((line) => {
      const [name = '', fields = ''] = line.split(': ');
      return [name, fields];
    }),
);

/** Types refer to each other, so each is read once, when it is first met. */
const READ = new Map<string, StructShape>();

function typeShape(name: string): StructShape | undefined {
  const known = READ.get(name);
  if (known !== undefined) return known;
  const line = LINES.get(name);
  if (line === undefined) return undefined;
  const shape: StructShape = { merge: 'struct', fields: Object.fromEntries(line.split(' ').map(fieldOf)) };
  READ.set(name, shape);
  return shape;
}

function fieldOf(text: string): readonly [string, Shape] {
  const [, name = '', relation = '', type = ''] = /^(\w+)(\{\}|\[[^\]]*\])?(?::(\w+))?$/.exec(text) ?? [];
  const inner = type === '' ? ATOMIC : (typeShape(type) ?? DEDUCED);
  if (relation === '') return [name, inner];
  if (relation === '{}') return [name, { merge: 'struct', fields: {}, others: inner }];
  const keys = relation.slice(1, -1);
  if (keys === '') return [name, ATOMIC];
  if (keys === '=') return [name, { merge: 'set' }];
  const [patchKey = ''] = keys.split(',');
  return [
    name,
    { merge: 'list-map', keys: keys.split(','), keyDefaults: keyDefaults(keys.split(',')), patchKey, item: inner },
  ];
}

/** Go's types have no missing keys: a text is empty then, a port zero; validation sees to it afterwards. */
function keyDefaults(keys: readonly string[]): Readonly<Record<string, string | number>> {
  return Object.fromEntries(keys.map((key) => [key, KEY_DEFAULTS[key] ?? '']));
}

const KEY_DEFAULTS: Readonly<Record<string, string | number>> = { protocol: 'TCP', port: 0, containerPort: 0 };

export const OBJECT_META: Shape = typeShape('ObjectMeta') ?? DEDUCED;
