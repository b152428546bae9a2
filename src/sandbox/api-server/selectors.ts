import type { Json, JsonObject } from './json.ts';
import { type Answer, answered } from './refusal.ts';

export type LabelMatcher = (labels: Readonly<Record<string, string>>) => boolean;

/** `labelSelector` of a query: `a=b,c!=d,e in (f,g),!h`. An empty text selects everything. */
export function labelSelector(_text: string): Answer<LabelMatcher> {
  return answered(() => true);
}

/** A `LabelSelector` object (`matchLabels`, `matchExpressions`), as webhooks have it. Empty and undefined select everything. */
export function labelSelectorOf(_selector: Json | undefined): Answer<LabelMatcher> {
  return answered(() => true);
}

export type ObjectMatcher = (object: JsonObject) => boolean;

/** `fieldSelector` of a query. `supported` lists the fields a kind knows besides `metadata.name` and `metadata.namespace`. */
export function fieldSelector(_text: string, _supported: readonly string[]): Answer<ObjectMatcher> {
  return answered(() => true);
}
