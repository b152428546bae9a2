import { randomUUID } from 'node:crypto';
import type { AdmittedWrite } from '../cluster.ts';
import type { Json, JsonObject } from '../json.ts';
import { apiVersionOfKind } from '../kinds/kind.ts';
import { listAt, objectAt, textAt, textsAt } from '../object-fields.ts';
import { internalError, StatusError } from '../status.ts';
import type { Storage } from '../storage/storage.ts';
import { createWebhookCalls, type WebhookAnswer } from './call-webhook.ts';
import { webhookMatches } from './webhook-matches.ts';

export interface Webhooks {
  /**
   * @returns warnings for the client
   * @throws {StatusError} where one of them, or the lack of its answer, forbids the write
   */
  admit(write: AdmittedWrite): Promise<readonly string[]>;
  close(): Promise<void>;
}

const COLLECTION = 'validatingwebhookconfigurations.admissionregistration.k8s.io';

/** Asks the validating webhooks that a write concerns, all at once, as the real server does. */
export function createWebhooks(options: { readonly storage: Storage; readonly signal: AbortSignal }): Webhooks {
  const { storage, signal } = options;
  const calls = createWebhookCalls(storage);
  return {
    async admit(write) {
      // A webhook that forbids changes to webhooks could never be taken out again.
      if (write.kind.group === 'admissionregistration.k8s.io') return [];
      const webhooks = storage
        .collection(COLLECTION)
        .list()
        .flatMap((configuration) => listAt(configuration, 'webhooks'))
        .filter((webhook) => webhookMatches(storage, webhook, write));
      if (webhooks.length === 0) return [];
      const review = reviewOf(write);
      const verdicts = await Promise.all(webhooks.map((webhook) => ask(webhook, review, calls.call, signal)));
      const refused = verdicts.find(({ refusal }) => refusal !== undefined);
      if (refused?.refusal !== undefined) throw refused.refusal;
      return verdicts.flatMap(({ warnings }) => warnings);
    },
    close: () => calls.close(),
  };
}

interface Verdict {
  readonly refusal?: StatusError;
  readonly warnings: readonly string[];
}

async function ask(
  webhook: Json,
  review: JsonObject,
  call: (webhook: Json, review: JsonObject, signal: AbortSignal) => Promise<WebhookAnswer>,
  signal: AbortSignal,
): Promise<Verdict> {
  const name = textAt(webhook, 'name') ?? '';
  const answer = await call(webhook, review, signal);
  if (!answer.ok) {
    if (textAt(webhook, 'failurePolicy') === 'Ignore') return { warnings: [] };
    return {
      refusal: internalError(`failed calling webhook "${name}": failed to call webhook: ${answer.why}`),
      warnings: [],
    };
  }
  const warnings = textsAt(answer.response, 'warnings');
  if (answer.response['allowed'] === true) return { warnings };
  return { refusal: denial(name, objectAt(answer.response, 'status')), warnings };
}

function denial(webhook: string, status: JsonObject): StatusError {
  const told = `admission webhook "${webhook}" denied the request`;
  const reason = textAt(status, 'reason') ?? '';
  const why = textAt(status, 'message') || reason;
  const code = typeof status['code'] === 'number' ? Math.max(400, status['code']) : 400;
  return new StatusError(code, reason, why === '' ? `${told} without explanation` : `${told}: ${why}`);
}

function reviewOf(write: AdmittedWrite): JsonObject {
  const { kind, operation, namespace, name, subresource, object, oldObject, dryRun, user } = write;
  const type = { group: kind.group, version: kind.version, kind: kind.kind };
  const resource = { group: kind.group, version: kind.version, resource: kind.plural };
  return {
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: {
      uid: randomUUID(),
      kind: type,
      resource,
      requestKind: type,
      requestResource: resource,
      ...(subresource === undefined ? {} : { subResource: subresource, requestSubResource: subresource }),
      name,
      ...(namespace === undefined ? {} : { namespace }),
      operation,
      userInfo: { username: user.username, groups: user.groups, ...(user.uid === undefined ? {} : { uid: user.uid }) },
      object: object === undefined ? null : { ...object, apiVersion: apiVersionOfKind(kind) },
      oldObject: oldObject === undefined ? null : { ...oldObject, apiVersion: apiVersionOfKind(kind) },
      dryRun,
      options: { kind: `${operation[0]}${operation.slice(1).toLowerCase()}Options`, apiVersion: 'meta.k8s.io/v1' },
    },
  };
}
