import type { AdmittedWrite } from '../cluster.ts';
import type { Storage } from '../storage/storage.ts';

export interface Webhooks {
  /** @throws {StatusError} where one of them, or the lack of its answer, forbids the write */
  admit(write: AdmittedWrite): Promise<void>;
  close(): Promise<void>;
}

export function createWebhooks(_options: { readonly storage: Storage; readonly signal: AbortSignal }): Webhooks {
  return { admit: async () => undefined, close: async () => undefined };
}
