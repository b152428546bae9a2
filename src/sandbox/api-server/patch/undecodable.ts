import { isList, type Json } from '../json.ts';
import { refused } from '../refusal.ts';

/** The 400 for a patch of the wrong JSON type; `wanted` is the Go type that the server names. */
export function undecodable(
  patch: Json,
  wanted: string,
  prefix = 'error decoding patch: ',
): ReturnType<typeof refused> {
  const type = isList(patch) ? 'array' : patch === null ? 'null' : typeof patch;
  const found = type === 'boolean' ? 'bool' : type;
  return refused(400, 'BadRequest', `${prefix}json: cannot unmarshal ${found} into Go value of type ${wanted}`);
}
