import { marshalled, shown } from '../go-text.ts';
import { isObject, type Json } from '../json.ts';
import type { ListMapShape, SetShape } from './shape.ts';

/** How an item of a list is known: by its keys, or by its value. Undefined where it cannot be told from others. */
export function itemElement(shape: ListMapShape | SetShape, item: Json): string | undefined {
  if (shape.merge === 'set') return typeof item === 'object' ? undefined : `v:${marshalled(item)}`;
  if (!isObject(item)) return undefined;
  const keys: [string, Json][] = [];
  for (const name of shape.keys) {
    const value = (Object.hasOwn(item, name) ? item[name] : undefined) ?? shape.keyDefaults?.[name];
    // A key without a value may be left out as long as another tells the items apart.
    if (value !== undefined) keys.push([name, value]);
  }
  return keys.length === 0 ? undefined : `k:${marshalled(Object.fromEntries(keys))}`;
}

/** `.spec.containers[name="a"].image`: how conflicts name a place. */
export function pathText(path: readonly string[]): string {
  return path.map(elementText).join('');
}

export function elementText(element: string): string {
  const text = element.slice(2);
  if (element.startsWith('f:')) return `.${text}`;
  if (element.startsWith('i:')) return `[${text}]`;
  const value = JSON.parse(text) as Json;
  if (element.startsWith('v:') || !isObject(value)) return `[=${shown(value)}]`;
  return `[${Object.entries(value)
    .map(([name, key]) => `${name}=${shown(key)}`)
    .join(',')}]`;
}
