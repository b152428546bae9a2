import { open } from 'node:fs/promises';

/** What every API server of the bench writes down: who asked for what. Of Secrets never more than that (S4). */
export const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
# With both objects, so that a write which changed nothing shows. There is no secret in them.
- level: RequestResponse
  resources: [{ group: keyturn.kyma-project.io, resources: [runtimetrusts/status] }]
- level: Metadata
`;

interface VersionedObject {
  readonly metadata?: { readonly resourceVersion?: string };
}

/** One line of an audit log, as far as it is looked at (audit.k8s.io/v1 Event). */
export interface AuditEvent {
  readonly auditID: string;
  readonly stage: string;
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly objectRef?: {
    readonly resource?: string;
    readonly subresource?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code?: number };
  readonly requestObject?: VersionedObject;
  readonly responseObject?: VersionedObject;
  readonly requestReceivedTimestamp: string;
}

/** Reads an audit log from a place on. */
export interface AuditReader {
  /** What was written since the last call; only whole lines. */
  next(): Promise<readonly AuditEvent[]>;
}

export function auditReader(file: string): AuditReader {
  let offset = 0;
  return {
    async next() {
      const handle = await open(file);
      try {
        const { size } = await handle.stat();
        const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - offset), 0, size - offset, offset);
        const end = buffer.lastIndexOf('\n', bytesRead) + 1;
        offset += end;
        return eventsIn(buffer.subarray(0, end).toString('utf8'));
      } finally {
        await handle.close();
      }
    },
  };
}

export function eventsIn(text: string): readonly AuditEvent[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as AuditEvent);
}
