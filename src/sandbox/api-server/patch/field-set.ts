/**
 * A set of places in an object, as `managedFields` keep it: fields, list items by key, and items by value. A place may be
 * in the set with or without the places below it. Elements are written as in `fieldsV1`: `f:name`, `k:{"name":"x"}`, `v:"x"`.
 */
export interface FieldSet {
  readonly members: ReadonlySet<string>;
  /** Never holds an empty set. */
  readonly children: ReadonlyMap<string, FieldSet>;
}

export const NOTHING: FieldSet = { members: new Set(), children: new Map() };

export function isNothing(set: FieldSet): boolean {
  return set.members.size === 0 && set.children.size === 0;
}

export function below(set: FieldSet, element: string): FieldSet {
  return set.children.get(element) ?? NOTHING;
}

export function union(one: FieldSet, other: FieldSet): FieldSet {
  if (isNothing(one)) return other;
  if (isNothing(other)) return one;
  const children = new Map(one.children);
  for (const [element, child] of other.children) children.set(element, union(below(one, element), child));
  return { members: new Set([...one.members, ...other.members]), children };
}

export function intersection(one: FieldSet, other: FieldSet): FieldSet {
  return {
    members: new Set([...one.members].filter((element) => other.members.has(element))),
    children: mapChildren(one, (child, element) => intersection(child, below(other, element))),
  };
}

/** Without exactly the places of another; what is below them stays. */
export function difference(one: FieldSet, other: FieldSet): FieldSet {
  return {
    members: new Set([...one.members].filter((element) => !other.members.has(element))),
    children: mapChildren(one, (child, element) => difference(child, below(other, element))),
  };
}

/** Without the places of another and all that is below them. */
export function deepDifference(one: FieldSet, other: FieldSet): FieldSet {
  return {
    members: new Set([...one.members].filter((element) => !other.members.has(element))),
    children: mapChildren(one, (child, element) =>
      other.members.has(element) ? NOTHING : deepDifference(child, below(other, element)),
    ),
  };
}

function mapChildren(
  set: FieldSet,
  change: (child: FieldSet, element: string) => FieldSet,
): ReadonlyMap<string, FieldSet> {
  const changed = [...set.children].map(([element, child]) => [element, change(child, element)] as const);
  return new Map(changed.filter(([, child]) => !isNothing(child)));
}

/** All places, each as its elements from the root, in the order in which the server names them: nearer ones first. */
export function pathsOf(set: FieldSet, prefix: readonly string[] = []): readonly (readonly string[])[] {
  return [
    ...[...set.members].sort().map((element) => [...prefix, element]),
    ...[...set.children.keys()].sort().flatMap((element) => pathsOf(below(set, element), [...prefix, element])),
  ];
}

export function elementsOf(set: FieldSet): readonly string[] {
  return [...new Set([...set.members, ...set.children.keys()])].sort();
}

/** From fields' names: `[['status'], ['metadata', 'name']]`. */
export function setOfFields(paths: Iterable<readonly string[]>): FieldSet {
  const builder = new FieldSetBuilder();
  for (const path of paths) builder.insert(path.map((name) => `f:${name}`));
  return builder.build();
}

export class FieldSetBuilder {
  readonly #members = new Set<string>();
  readonly #children = new Map<string, FieldSetBuilder>();

  /** The whole object (an empty path) has no owner, and is left out. */
  insert(path: readonly string[]): void {
    const [element, ...rest] = path;
    if (element === undefined) return;
    if (rest.length === 0) this.#members.add(element);
    else this.#child(element).insert(rest);
  }

  #child(element: string): FieldSetBuilder {
    const known = this.#children.get(element);
    if (known !== undefined) return known;
    const fresh = new FieldSetBuilder();
    this.#children.set(element, fresh);
    return fresh;
  }

  build(): FieldSet {
    if (this.#members.size === 0 && this.#children.size === 0) return NOTHING;
    const children = [...this.#children].map(([element, child]) => [element, child.build()] as const);
    return { members: this.#members, children: new Map(children.filter(([, child]) => !isNothing(child))) };
  }
}
