import type { Clock } from '../../controller/clock.ts';
import type { User } from './access/user.ts';
import type { JsonObject } from './json.ts';
import type { ServedKind } from './kinds/kind.ts';
import type { Registry } from './kinds/registry.ts';
import type { ApiObject } from './object-fields.ts';
import type { Storage } from './storage/storage.ts';

/** What all parts of one API server share. */
export interface Cluster {
  readonly name: string;
  readonly clock: Clock;
  readonly storage: Storage;
  readonly registry: Registry;
  /** Aborts when the cluster stops: ends watches, webhooks and background work. */
  readonly signal: AbortSignal;
  /** Asks the validating webhooks, and returns their warnings. @throws StatusError where one of them, or the lack of its answer, forbids the write */
  readonly admit: (write: AdmittedWrite) => Promise<readonly string[]>;
}

export interface AdmittedWrite {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly kind: ServedKind;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly subresource: string | undefined;
  readonly object: JsonObject | undefined;
  readonly oldObject: ApiObject | undefined;
  readonly dryRun: boolean;
  readonly user: User;
}

/** RFC 3339 in whole seconds, as `creationTimestamp` has it. */
export function timestamp(clock: Clock): string {
  return `${new Date(clock.nowMs()).toISOString().slice(0, 19)}Z`;
}
