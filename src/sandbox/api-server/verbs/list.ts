import { encodedItem } from '../forms/encoded.ts';
import { partialMetadataList } from '../forms/partial-metadata.ts';
import { includeObject, table } from '../forms/table.ts';
import type { JsonObject } from '../json.ts';
import { fieldError } from '../kinds/field-errors.ts';
import { apiVersionOfKind, served } from '../kinds/kind.ts';
import type { ApiObject } from '../object-fields.ts';
import { badRequest, expired, expiredContinue, invalidOptions, tooLargeResourceVersion } from '../status.ts';
import { storageKey } from '../storage/collection.ts';
import { continueDefect, decodeContinue, encodeContinue } from '../storage/pages.ts';
import { type AnswerBody, type CallAnswer, collectionOf, type ResourceCall } from './call.ts';
import { selectionOf } from './selection.ts';

/** GET of a collection, in pages where the client asks for them. */
export function listObjects(call: ResourceCall): CallAnswer {
  const page = readPage(call);
  const metadata: JsonObject = {
    resourceVersion: String(page.revision),
    ...(page.continue === undefined ? {} : { continue: page.continue }),
    ...(page.remaining === undefined ? {} : { remainingItemCount: page.remaining }),
  };
  return { code: 200, body: listBody(call, page.items, metadata) };
}

interface Page {
  readonly items: readonly ApiObject[];
  readonly revision: number;
  readonly continue?: string;
  readonly remaining?: number;
}

function readPage(call: ResourceCall): Page {
  const { cluster, query } = call;
  const { storage } = cluster;
  const collection = collectionOf(call);
  const selection = selectionOf(call);
  const limit = positive(query.get('limit'));
  const token = query.get('continue') ?? '';
  const asked = query.get('resourceVersion') ?? '';
  if (token !== '' && asked !== '' && asked !== '0') {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  const from = token === '' ? undefined : decodeContinue(token);
  if (token !== '' && from === undefined) throw badRequest(`invalid continue token: ${continueDefect(token)}`);
  const revision = from?.rv ?? revisionToRead(call, asked);
  const everything =
    from === undefined && revision === storage.revision()
      ? collection.list(selection.namespace)
      : storage.pages.find(pageKey(call), revision);
  if (everything === undefined) {
    if (from === undefined) throw expired(`The resourceVersion for the provided list is too old.`);
    throw expiredContinue(encodeContinue({ rv: storage.revision(), start: from.start }));
  }
  const rest = from === undefined ? everything : everything.filter((object) => keyOf(object) > from.start);
  const matching = selection.selective ? rest.filter(selection.matches) : rest;
  const items = limit === 0 ? matching : matching.slice(0, limit);
  // As the real server, which looks no further once a page is full: what follows may be selected or not.
  if (items.length < limit || limit === 0 || items.at(-1) === rest.at(-1)) return { items, revision };
  storage.pages.keep(pageKey(call), revision, everything);
  const last = items.at(-1);
  return {
    items,
    revision,
    continue: encodeContinue({ rv: revision, start: last === undefined ? '' : keyOf(last) }),
    ...(selection.selective ? {} : { remaining: matching.length - items.length }),
  };
}

function pageKey(call: ResourceCall): string {
  return `${call.kind.collection}/${call.info.namespace ?? ''}`;
}

function keyOf({ metadata }: ApiObject): string {
  return storageKey(metadata.namespace, metadata.name);
}

/** The present, unless exactly an older revision is asked for. */
function revisionToRead(call: ResourceCall, asked: string): number {
  const current = call.cluster.storage.revision();
  const match = call.query.get('resourceVersionMatch') ?? '';
  if (match !== '' && asked === '') {
    throw invalidOptions('ListOptions', [
      fieldError.forbidden(
        'resourceVersionMatch',
        'resourceVersionMatch is forbidden unless resourceVersion is provided',
      ),
    ]);
  }
  if (asked === '' || asked === '0') return current;
  const revision = Number(asked);
  if (!Number.isSafeInteger(revision) || revision < 0) {
    throw badRequest(
      `invalid resource version: resourceVersion: Invalid value: "${asked}": strconv.ParseUint: parsing "${asked}": invalid syntax`,
    );
  }
  if (revision > current) throw tooLargeResourceVersion(revision, current);
  return match === 'Exact' ? revision : current;
}

function positive(text: string | null): number {
  if (text === null || text === '') return 0;
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw badRequest(`strconv.ParseInt: parsing "${text}": invalid syntax`);
  return Math.max(0, value);
}

/** Several objects in the form that the client asked for. */
export function listBody(call: ResourceCall, items: readonly ApiObject[], metadata: JsonObject): AnswerBody {
  const { kind, form } = call;
  if (form.as === 'PartialObjectMetadataList' || form.as === 'PartialObjectMetadata') {
    return { value: partialMetadataList(items, metadata) };
  }
  if (form.as === 'Table') {
    const options = { include: includeObject(call.query), nowMs: call.cluster.clock.nowMs() };
    const shown = items.map((item) => served(kind, item));
    return { value: table(kind, shown, metadata, options) };
  }
  // Of custom objects, the list itself shows an empty token, too.
  const shown = JSON.stringify(kind.custom ? { continue: '', ...metadata } : metadata);
  const head = `"kind":"${kind.listKind}","apiVersion":"${apiVersionOfKind(kind)}","metadata":${shown}`;
  return { text: `{${head},"items":[${items.map((item) => encodedItem(kind, item)).join(',')}]}` };
}
