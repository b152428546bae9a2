import { fieldAt, isList, isObject, type Json, type JsonObject } from '../json.ts';
import { elementText, itemElement } from './path-element.ts';
import type { ListMapShape, SetShape, Shape } from './shape.ts';
import { fieldShape, isDeclared, itemShape, viewOf } from './shape-view.ts';

/** Why an applied object cannot be read by its shape, in the server's words; undefined where it can. */
export function configProblem(shape: Shape, config: JsonObject): string | undefined {
  const problems = problemsIn(shape, config, '');
  if (problems.length === 0) return undefined;
  const text = (name: string): string => String(fieldAt(config, 'metadata', name) ?? '');
  const [group = '', version] = String(config['apiVersion'] ?? '').split('/');
  const kind = `${version === undefined ? `/${group}` : `${group}/${version}`}, Kind=${String(config['kind'] ?? '')}`;
  const what = `failed to create typed patch object (${text('namespace')}/${text('name')}; ${kind.replace(/^\//, '')})`;
  return `${what}: ${problems.length === 1 ? problems[0] : `errors:\n${problems.map((line) => `  ${line}`).join('\n')}`}`;
}

function problemsIn(shape: Shape, value: Json, path: string): readonly string[] {
  const view = viewOf(shape, value);
  if (view.as === 'struct' && isObject(value)) {
    return Object.entries(value).flatMap(([name, child]) => {
      const childPath = `${path}.${name}`;
      const known = isDeclared(view.shape, name) || view.shape.others !== undefined;
      return known
        ? problemsIn(fieldShape(view.shape, name), child, childPath)
        : [`${childPath}: field not declared in schema`];
    });
  }
  return view.as === 'list' && isList(value) ? itemProblems(view.shape, value, path) : [];
}

function itemProblems(shape: ListMapShape | SetShape, list: readonly Json[], path: string): readonly string[] {
  const seen = new Set<string>();
  return list.flatMap((item, index) => {
    const element = itemElement(shape, item);
    const missing = shape.merge === 'list-map' ? shape.keys.find((key) => !hasKey(shape, item, key)) : undefined;
    if (element === undefined || missing !== undefined) {
      const keys = missing ?? (shape.merge === 'list-map' ? (shape.keys[0] ?? '') : '');
      return [
        `${path}: element ${index}: associative list with keys has an element that omits key field "${keys}" (and doesn't have default value)`,
      ];
    }
    if (seen.has(element)) return [`${path}: duplicate entries for key ${elementText(element)}`];
    seen.add(element);
    return problemsIn(itemShape(shape), item, `${path}${elementText(element)}`);
  });
}

function hasKey(shape: ListMapShape, item: Json, key: string): boolean {
  return (isObject(item) && Object.hasOwn(item, key)) || shape.keyDefaults?.[key] !== undefined;
}
