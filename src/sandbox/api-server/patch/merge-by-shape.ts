import { isList, isObject, type Json, objectOf } from '../json.ts';
import { itemElement } from './path-element.ts';
import type { ListMapShape, SetShape, Shape } from './shape.ts';
import { fieldShape, isEmpty, itemShape, viewOf } from './shape-view.ts';

/** The live value with what is applied put over it. */
export function mergeByShape(shape: Shape, live: Json | undefined, applied: Json | undefined): Json | undefined {
  if (applied === undefined) return live;
  if (live === undefined && applied === null) return null;
  const view = viewOf(shape, live, applied);
  if (view.as === 'leaf' || (isEmpty(live) && isEmpty(applied))) return applied;
  if (view.as === 'list') return mergeItems(view.shape, isList(live) ? live : [], isList(applied) ? applied : []);
  const fields = new Map<string, Json>(isObject(live) ? Object.entries(live) : []);
  for (const [name, value] of Object.entries(isObject(applied) ? applied : {})) {
    fields.set(name, mergeByShape(fieldShape(view.shape, name), fields.get(name), value) ?? null);
  }
  return objectOf(fields);
}

/**
 * Items of both, each once. Applied items keep the order in which they are applied; items that only the live list has
 * stay as near as can be to where they were.
 */
function mergeItems(shape: ListMapShape | SetShape, live: readonly Json[], applied: readonly Json[]): readonly Json[] {
  const elementOf = (item: Json) => itemElement(shape, item) ?? '';
  const liveElements = live.map(elementOf);
  const appliedElements = applied.map(elementOf);
  const inLive = new Set(liveElements);
  const inApplied = new Set(appliedElements);
  const shared = appliedElements.filter((element) => inLive.has(element));
  const merged: Json[] = [];
  const taken = new Set<string>();
  let liveAt = 0;
  let appliedAt = 0;
  const takeApplied = (element: string): void => {
    const item = applied[appliedAt] ?? null;
    // A live item that is there twice is replaced, since it cannot be told which one is meant.
    const single = liveElements.indexOf(element) === liveElements.lastIndexOf(element);
    const before = single ? live[liveElements.indexOf(element)] : undefined;
    merged.push(mergeByShape(itemShape(shape), before, item) ?? null);
    taken.add(element);
    if (shared[0] === element) shared.shift();
    appliedAt += 1;
  };
  while (liveAt < live.length || appliedAt < applied.length) {
    const liveElement = liveElements[liveAt];
    const appliedElement = appliedElements[appliedAt];
    if (liveElement !== undefined && liveElement === appliedElement) {
      takeApplied(appliedElement);
      liveAt += 1;
    } else if (
      liveElement !== undefined &&
      appliedElement !== undefined &&
      inApplied.has(liveElement) &&
      shared[0] !== undefined &&
      shared[0] !== liveElement
    ) {
      // A shared item whose turn comes later.
      liveAt += 1;
    } else if (liveElement !== undefined && !inApplied.has(liveElement)) {
      merged.push(live[liveAt] ?? null);
      liveAt += 1;
    } else {
      if (liveElement !== undefined && taken.has(liveElement)) liveAt += 1;
      if (appliedElement !== undefined) takeApplied(appliedElement);
    }
  }
  return merged;
}
