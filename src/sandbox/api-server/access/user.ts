/** Who sent a request, as far as authentication found out. */
export interface User {
  readonly username: string;
  readonly groups: readonly string[];
  readonly uid?: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export const ANONYMOUS: User = { username: 'system:anonymous', groups: ['system:unauthenticated'] };
export const AUTHENTICATED = 'system:authenticated';
export const MASTERS = 'system:masters';
