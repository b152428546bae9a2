import { channel } from 'node:diagnostics_channel';

/** One request as the server saw it. Holds no body, no header and no token (S4). */
export interface RequestSeen {
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; the method in small letters for other paths. */
  readonly verb: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Empty for the core group, undefined for a path that is no resource. */
  readonly group?: string;
  readonly version?: string;
  /** Plural. */
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** Media type of the body, without parameters; empty for none. */
  readonly contentType: string;
  readonly accept: string;
  readonly username: string;
  readonly userAgent: string;
  /** HTTP status of the answer; of a watch, told when it opens. 0 where the connection was cut. */
  readonly code: number;
  /** From the request line to the answer's end, or a watch's beginning. */
  readonly durationMs: number;
}

/** A channel of the process, so that whoever wants to know needs no way to each server: worlds start them as they go. */
const requests = channel('keyturn.sandbox.request');

export function tellRequest(seen: RequestSeen): void {
  requests.publish(seen);
}

/** Every request to an embedded API server of this process, after its answer. @returns a function that takes the listener off */
export function onRequestSeen(listener: (seen: RequestSeen) => void): () => void {
  const heard = (message: unknown): void => listener(message as RequestSeen);
  requests.subscribe(heard);
  return () => void requests.unsubscribe(heard);
}
