import { randomUUID } from 'node:crypto';
import type { AdmittedWrite } from '../cluster.ts';
import type { Json, JsonObject } from '../json.ts';
import { apiVersionOfKind } from '../kinds/kind.ts';
import { listAt, objectAt, textAt } from '../object-fields.ts';
import { internalError, StatusError } from '../status.ts';
import type { Storage } from '../storage/storage.ts';
import { createWebhookCalls, type WebhookAnswer } from './call-webhook.ts';
import { webhookMatches } from './webhook-matches.ts';

export interface Webhooks {
  /** @throws {StatusError} where one of them, or the lack of its answer, forbids the write */
  admit(write: AdmittedWrite): Promise<void>;
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
      if (write.kind.group === 'admissionregistration.k8s.io') return;
      const webhooks = storage
        .collection(COLLECTION)
        .list()
        .flatMap((configuration) => listAt(configuration, 'webhooks'))
        .filter((webhook) => webhookMatches(storage, webhook, write));
      if (webhooks.length === 0) return;
      const review = reviewOf(write);
      const verdicts = await Promise.all(webhooks.map((webhook) => ask(webhook, review, calls.call, signal)));
      const refusal = verdicts.find((verdict) => verdict !== undefined);
      if (refusal !== undefined) throw refusal;
    },
    close: () => calls.close(),
  };
}

async function ask(
  webhook: Json,
  review: JsonObject,
  call: (webhook: Json, review: JsonObject, signal: AbortSignal) => Promise<WebhookAnswer>,
  signal: AbortSignal,
): Promise<StatusError | undefined> {
  const name = textAt(webhook, 'name') ?? '';
  const answer = await call(webhook, review, signal);
  if (!answer.ok) {
    if (textAt(webhook, 'failurePolicy') === 'Ignore') return undefined;
    return internalError(`failed calling webhook "${name}": failed to call webhook: ${answer.why}`);
  }
  if (answer.response['allowed'] === true) return undefined;
  const status = objectAt(answer.response, 'status');
  const message = textAt(status, 'message') ?? textAt(status, 'reason') ?? '';
  const code = typeof status['code'] === 'number' && status['code'] >= 400 ? status['code'] : 403;
  const told = `admission webhook "${name}" denied the request`;
  const reason = textAt(status, 'reason') ?? 'Forbidden';
  return new StatusError(code, reason, message === '' ? `${told} without explanation` : `${told}: ${message}`);
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
