import type { JsonObject } from '../../json.ts';
import type { KindRules } from '../kind.ts';

/** The parts of {@link KindRules} that one built-in kind has of its own. */
export interface OwnRules extends Partial<Omit<KindRules, 'read'>> {
  /** Fills in what the API gives by default, after unknown fields are gone. @throws StatusError 400 for what cannot be decoded */
  readonly withDefaults?: (object: JsonObject) => JsonObject;
}
