/**
 * How a value is merged and owned by server-side apply and strategic merge patch: which lists are maps by key, which are
 * sets, and what is replaced as a whole.
 */
export type Shape = AtomicShape | StructShape | SetShape | ListMapShape | DeducedShape;

/** A scalar, or a list or object with one owner. */
export interface AtomicShape {
  readonly merge: 'atomic';
}

/** An object whose fields have owners of their own. */
export interface StructShape {
  readonly merge: 'struct';
  readonly fields: Readonly<Record<string, Shape>>;
  /** Of every other field; undefined where others do not exist. */
  readonly others?: Shape;
}

/** A list of distinct scalars. */
export interface SetShape {
  readonly merge: 'set';
}

/** A list of objects that are told apart by some of their fields. */
export interface ListMapShape {
  readonly merge: 'list-map';
  readonly keys: readonly string[];
  /** What a missing key counts as. */
  readonly keyDefaults?: Readonly<Record<string, string | number>>;
  /** The one key that a strategic merge patch goes by, where it differs from `keys`. */
  readonly patchKey?: string;
  readonly item: Shape;
}

/** No schema: objects are structs, everything else is atomic. */
export interface DeducedShape {
  readonly merge: 'deduced';
}

export const ATOMIC: AtomicShape = { merge: 'atomic' };
export const DEDUCED: DeducedShape = { merge: 'deduced' };
