import { quoted } from '../go-text.ts';
import { fieldAt, isList, isObject, type Json, type JsonObject } from '../json.ts';
import { elementText, itemElement } from './path-element.ts';
import type { ListMapShape, SetShape, Shape } from './shape.ts';
import { fieldShape, isDeclared, itemShape, viewOf } from './shape-view.ts';

/** Why an applied object cannot be read by its shape, in the server's words; undefined where it can. */
export function configProblem(shape: Shape, config: JsonObject): string | undefined {
  const problems = problemsIn(shape, config, '');
  if (problems.length === 0) return undefined;
  const text = (...path: readonly string[]): string => String(fieldAt(config, ...path) ?? '');
  const apiVersion = text('apiVersion');
  const kind = `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${text('kind')}`;
  const what = `failed to create typed patch object (${text('metadata', 'namespace')}/${text('metadata', 'name')}; ${kind})`;
  return `${what}: ${problems.length === 1 ? problems[0] : ['errors:', ...problems.map((line) => `  ${line}`)].join('\n')}`;
}

function problemsIn(shape: Shape, value: Json, path: string): readonly string[] {
  const view = viewOf(shape, value);
  if (view.as === 'list' && isList(value)) return itemProblems(view.shape, value, path);
  if (view.as !== 'struct' || !isObject(value)) return [];
  const problems: string[] = [];
  for (const [name, child] of Object.entries(value)) {
    const childPath = `${path}.${name}`;
    // The server looks no further in an object after the first unknown field.
    if (!isDeclared(view.shape, name) && view.shape.others === undefined) {
      return [...problems, `${childPath}: field not declared in schema`];
    }
    problems.push(...problemsIn(fieldShape(view.shape, name), child, childPath));
  }
  return problems;
}

function itemProblems(shape: ListMapShape | SetShape, list: readonly Json[], path: string): readonly string[] {
  const seen = new Set<string>();
  const problems: string[] = [];
  for (const [index, item] of list.entries()) {
    const element = itemElement(shape, item);
    if (element === undefined) return [...problems, `${path}: element ${index}: ${unidentified(shape, item)}`];
    if (seen.has(element)) problems.push(`${path}: duplicate entries for key ${elementText(element)}`);
    seen.add(element);
    problems.push(...problemsIn(itemShape(shape), item, `${path}${elementText(element)}`));
  }
  return problems;
}

function unidentified(shape: ListMapShape | SetShape, item: Json): string {
  if (shape.merge === 'set') return `associative list without keys has an element that's ${typeText(item)}`;
  if (item === null) return 'associative list with keys may not have a null element';
  if (!isObject(item)) return 'associative list with keys may not have non-map elements';
  const keys = shape.keys.map(quoted).join(' ');
  return `associative list with keys has an element that omits all key fields [${keys}] (and doesn't have default values for any key fields)`;
}

function typeText(item: Json): string {
  return item === null ? 'an explicit null' : 'a map type';
}
