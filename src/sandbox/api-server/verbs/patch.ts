import { objectAnswer } from '../forms/answer-object.ts';
import { parseJson, parseYaml } from '../http/read-request.ts';
import { isObject, type Json, type JsonObject } from '../json.ts';
import { fieldError } from '../kinds/field-errors.ts';
import { apiVersionOfKind, served } from '../kinds/kind.ts';
import { type ApiObject, objectAt, textAt } from '../object-fields.ts';
import { applied } from '../patch/apply.ts';
import { jsonPatched } from '../patch/json-patch.ts';
import { mergePatchedObject } from '../patch/merge-patch.ts';
import { strategicMerged } from '../patch/strategic-merge.ts';
import {
  badRequest,
  conflict,
  invalid,
  invalidOptions,
  notFound,
  orThrow,
  StatusError,
  unsupportedMediaType,
} from '../status.ts';
import { withType } from './body.ts';
import type { CallAnswer, ResourceCall } from './call.ts';
import { commitChange } from './commit-change.ts';
import { commitNew } from './commit-new.ts';
import { type Committed, resetFields, writerOf } from './committed.ts';
import { refuseOther, retried } from './update.ts';

const APPLY = ['application/apply-patch+yaml', 'application/apply-patch+json'];
const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';

/** PATCH of an object or of its status, in any of the four forms. */
export async function patchObject(call: ResourceCall): Promise<CallAnswer> {
  const isApply = APPLY.includes(call.contentType);
  const committed = isApply ? await apply(call) : await change(call);
  return {
    code: committed.created ? 201 : 200,
    body: objectAnswer(call, committed.stored),
    warnings: committed.warnings,
  };
}

function change(call: ResourceCall): Promise<Committed> {
  const { kind, info, contentType, query } = call;
  const accepted = [JSON_PATCH, MERGE_PATCH, ...(kind.custom ? [] : [STRATEGIC]), ...APPLY];
  if (contentType !== STRATEGIC && !accepted.includes(contentType)) {
    throw new StatusError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
  }
  if (!accepted.includes(contentType)) throw unsupportedMediaType(accepted.slice(0, -1));
  if (query.get('force') !== null) {
    throw invalidOptions('PatchOptions', [fieldError.forbidden('force', 'may not be specified for non-apply patch')]);
  }
  const patch = parseJson(call.body, 'error decoding patch: invalid JSON');
  const name = info.name ?? '';
  return retried(call, true, async (current) => {
    if (current === undefined) throw notFound(kind, name);
    const shown = served(kind, current);
    const next = patched(call, shown, patch);
    const metadata = objectAt(next, 'metadata');
    if (textAt(metadata, 'name') !== name) {
      throw badRequest(
        `the name of the object (${textAt(metadata, 'name') ?? ''}) does not match the name on the URL (${name})`,
      );
    }
    const uid = textAt(metadata, 'uid');
    if (uid !== undefined && uid !== current.metadata.uid) {
      throw invalid(kind, name, [fieldError.invalid('metadata.uid', uid, 'field is immutable')]);
    }
    refuseOther(call, current, metadata);
    return commitChange(call, current, withType(kind, next), 'update');
  });
}

function patched(call: ResourceCall, shown: ApiObject, patch: Json): JsonObject {
  const { kind, contentType } = call;
  const next =
    contentType === JSON_PATCH
      ? orThrow(jsonPatched(shown, patch))
      : contentType === MERGE_PATCH
        ? orThrow(mergePatchedObject(shown, patch))
        : orThrow(strategicMerged(kind.shape, shown, patch));
  if (!isObject(next)) throw badRequest('the patch does not leave an object');
  return next;
}

function apply(call: ResourceCall): Promise<Committed> {
  const { kind, info, query } = call;
  if ((query.get('fieldManager') ?? '') === '') {
    throw invalidOptions('PatchOptions', [fieldError.required('fieldManager', 'is required for apply patch')]);
  }
  const body = parseYaml(call.body);
  if (!isObject(body)) throw badRequest('the body of an apply must be an object');
  if ((textAt(body, 'apiVersion') ?? '') === '' || (textAt(body, 'kind') ?? '') === '') {
    throw badRequest('invalid object type: /, Kind=');
  }
  if (textAt(body, 'apiVersion') !== apiVersionOfKind(kind) || textAt(body, 'kind') !== kind.kind) {
    const apiVersion = textAt(body, 'apiVersion') ?? '';
    const type = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
    throw badRequest(`invalid object type: ${type}, Kind=${textAt(body, 'kind') ?? ''}`);
  }
  const config = withType(kind, body);
  const metadata = objectAt(config, 'metadata');
  const name = info.name ?? '';
  if ((textAt(metadata, 'name') ?? name) !== name) {
    throw badRequest(
      `the name of the object (${textAt(metadata, 'name') ?? ''}) does not match the name on the URL (${name})`,
    );
  }
  if (metadata['managedFields'] !== undefined) throw badRequest('metadata.managedFields must be nil');
  const conditional = (textAt(metadata, 'resourceVersion') ?? '') !== '';
  return retried(call, !conditional, async (current) => {
    if (current === undefined) refuseCreateByApply(call, metadata);
    else refuseOther(call, current, metadata);
    const answer = applied({
      live: current === undefined ? undefined : served(kind, current),
      config,
      shape: kind.shape,
      writer: writerOf(call),
      force: query.get('force') === 'true' || query.get('force') === '1',
      resetFields: resetFields(call),
    });
    const next = orThrow(answer);
    return current === undefined ? commitNew(call, next, 'done') : commitChange(call, current, next, 'done');
  });
}

function refuseCreateByApply(call: ResourceCall, metadata: JsonObject): void {
  const { kind, info } = call;
  const name = info.name ?? '';
  if (info.subresource !== undefined) throw notFound(kind, name);
  const uid = textAt(metadata, 'uid') ?? '';
  if (uid !== '') {
    throw conflict(
      kind,
      name,
      `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
    );
  }
}
