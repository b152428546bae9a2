import { forbidden, forbiddenPath, type StatusError } from '../status.ts';
import { type Attributes, refusalText } from './rbac.ts';
import type { User } from './user.ts';

/** The 403 of an act that no role of the user allows. */
export function forbiddenAct(user: User, act: Attributes): StatusError {
  const why = refusalText(user, act);
  return act.kind === 'path' ? forbiddenPath(why) : forbidden(act, act.name ?? '', why);
}
