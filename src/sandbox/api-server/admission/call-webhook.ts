import { createHash } from 'node:crypto';
import { Agent, request } from 'undici';
import { isObject, type Json, type JsonObject } from '../json.ts';
import { objectAt, textAt } from '../object-fields.ts';
import type { Storage } from '../storage/storage.ts';
import { serviceAddress } from './service-address.ts';

export type WebhookAnswer =
  | { readonly ok: true; readonly response: JsonObject }
  | { readonly ok: false; readonly why: string };

export interface WebhookCalls {
  call(webhook: Json, review: JsonObject, signal: AbortSignal): Promise<WebhookAnswer>;
  close(): Promise<void>;
}

/** Connections kept by what they trust; a configuration that rotates its bundle leaves old ones behind. */
const AGENTS_KEPT = 8;

export function createWebhookCalls(storage: Storage): WebhookCalls {
  const agents = new Map<string, Agent>();
  const agentFor = (caPem: string | undefined, servername: string): Agent => {
    const key = createHash('sha256')
      .update(`${servername}\n${caPem ?? ''}`)
      .digest('hex');
    const known = agents.get(key);
    if (known !== undefined) return known;
    // As in the real server: with a bundle of its own a webhook is judged by nothing else.
    const agent = new Agent({ connect: { servername, ...(caPem === undefined ? {} : { ca: caPem }) } });
    agents.set(key, agent);
    const [oldest] = agents;
    if (agents.size > AGENTS_KEPT && oldest !== undefined) {
      agents.delete(oldest[0]);
      oldest[1].close().catch(() => undefined);
    }
    return agent;
  };
  return {
    async call(webhook, review, signal) {
      const client = objectAt(webhook, 'clientConfig');
      const seconds = Number(objectAt(webhook)['timeoutSeconds'] ?? 10);
      const place = placeOf(client, storage);
      const shownUrl = `${place.shownUrl}?timeout=${seconds}s`;
      if (place.url === undefined) return { ok: false, why: `Post "${shownUrl}": ${place.defect}` };
      const bundle = textAt(client, 'caBundle');
      const caPem = bundle === undefined || bundle === '' ? undefined : Buffer.from(bundle, 'base64').toString('utf8');
      const deadline = AbortSignal.timeout(seconds * 1000);
      try {
        const { statusCode, body } = await request(`${place.url}?timeout=${seconds}s`, {
          method: 'POST',
          dispatcher: agentFor(caPem, place.servername),
          headers: { 'content-type': 'application/json', accept: 'application/json', host: place.host },
          body: JSON.stringify(review),
          signal: AbortSignal.any([signal, deadline]),
        });
        const text = await body.text();
        if (statusCode !== 200) return { ok: false, why: `an error on the server answered ${statusCode}` };
        return responseIn(text, textAt(review, 'request', 'uid') ?? '');
      } catch (error) {
        const why = deadline.aborted ? 'context deadline exceeded' : causeOf(error);
        return { ok: false, why: `Post "${shownUrl}": ${why}` };
      }
    },
    async close() {
      await Promise.all([...agents.values()].map((agent) => agent.destroy().catch(() => undefined)));
    },
  };
}

interface Place {
  /** Undefined where nothing is behind the service; `defect` says what is missing. */
  readonly url?: string;
  readonly defect?: string;
  /** As messages name it. */
  readonly shownUrl: string;
  readonly servername: string;
  readonly host: string;
}

function placeOf(client: JsonObject, storage: Storage): Place {
  const url = textAt(client, 'url');
  if (url !== undefined) {
    const { hostname, host } = new URL(url);
    return { url, shownUrl: url, servername: hostname, host };
  }
  const service = objectAt(client, 'service');
  const namespace = textAt(service, 'namespace') ?? '';
  const name = textAt(service, 'name') ?? '';
  const port = typeof service['port'] === 'number' ? service['port'] : 443;
  const path = textAt(service, 'path') ?? '/';
  const servername = `${name}.${namespace}.svc`;
  const place = { shownUrl: `https://${servername}:${port}${path}`, servername, host: servername };
  const address = serviceAddress(storage, { namespace, name, port });
  if (address !== undefined) return { ...place, url: `https://${address}${path}` };
  const isThere = storage.collection('services').get(`${namespace}/${name}`) !== undefined;
  const defect = isThere ? `no endpoints available for service "${name}"` : `service "${name}" not found`;
  return { ...place, defect };
}

function responseIn(text: string, uid: string): WebhookAnswer {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return { ok: false, why: 'the answer is no JSON' };
  }
  const response = isObject(parsed as Json) ? objectAt(parsed as Json, 'response') : {};
  if (textAt(response, 'uid') !== uid) return { ok: false, why: `expected response.uid="${uid}"` };
  return { ok: true, response };
}

/** OpenSSL's codes say what is wrong with a certificate; Go's words for the common ones, which people search for. */
function causeOf(error: unknown): string {
  const { code = '', message = '' } = error as { readonly code?: string; readonly message?: string };
  if (/SELF_SIGNED|UNABLE_TO_(VERIFY|GET)|CERT_SIGNATURE/.test(code)) {
    return `tls: failed to verify certificate: x509: certificate signed by unknown authority (${code})`;
  }
  const { address, port } = error as { readonly address?: string; readonly port?: number };
  return code === 'ECONNREFUSED'
    ? `dial tcp ${address}:${port}: connect: connection refused`
    : `${code} ${message}`.trim();
}
