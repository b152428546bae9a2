import type { Tokens } from '../access/tokens.ts';
import type { User } from '../access/user.ts';
import type { Cluster } from '../cluster.ts';
import type { FaultPlan } from '../faults.ts';
import type { WatchSink } from '../verbs/watch.ts';
import type { ReadyAnswer } from './answer.ts';
import type { RequestInfo } from './request-info.ts';

/** Either a whole answer, or a watch that begins. */
export type Outcome = ReadyAnswer | { readonly watch: (sink: WatchSink) => void };

export interface ServeParts {
  readonly cluster: Cluster;
  readonly server: string;
  readonly tokens: Tokens;
  readonly faults: FaultPlan;
}

/** A request whose user may make it. */
export interface RoutedRequest {
  readonly parts: ServeParts;
  readonly info: RequestInfo;
  readonly user: User;
  readonly query: URLSearchParams;
  readonly body: string;
  readonly contentType: string;
  readonly accept: string | undefined;
  readonly userAgent: string;
}
