import { field, type Json, sameJson } from '../json.ts';

/**
 * The items of a merged list in the order that a strategic merge patch leaves: what the patch speaks of in the order it
 * gives, all else between them where the server had it. Items are told apart by `key`, scalars (no key) by themselves.
 */
export function inOrder(
  key: string | undefined,
  items: readonly Json[],
  order: readonly Json[],
  serverOrder: readonly Json[],
): readonly Json[] {
  const identity = (item: Json): Json | undefined => (key === undefined ? item : field(item, key));
  const placeIn = (list: readonly Json[], item: Json) =>
    list.findIndex((other) => sameJson(identity(other), identity(item)));
  const sortedBy = (list: readonly Json[], by: readonly Json[]) =>
    list.toSorted((one, other) => placeIn(by, one) - placeIn(by, other));
  const ordered = sortedBy(
    items.filter((item) => placeIn(order, item) >= 0),
    order,
  );
  const others = sortedBy(
    items.filter((item) => placeIn(order, item) < 0),
    serverOrder,
  );
  const result: Json[] = [];
  while (ordered.length > 0 || others.length > 0) {
    const [next] = ordered;
    const [other] = others;
    const otherFirst =
      next === undefined || (other !== undefined && isBefore(placeIn(serverOrder, other), placeIn(serverOrder, next)));
    const taken = otherFirst ? others.shift() : ordered.shift();
    if (taken !== undefined) result.push(taken);
  }
  return result;
}

/** Only two places that exist can tell. */
function isBefore(one: number, other: number): boolean {
  return one >= 0 && other >= 0 && one < other;
}
