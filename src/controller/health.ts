import type { IncomingMessage, ServerResponse } from 'node:http';

/** Undefined while all is well, else what is wrong, in words that hold no secrets: anyone may read them. */
export type HealthCheck = () => string | undefined;

export interface HealthReport {
  readonly ok: boolean;
  readonly checks: readonly { readonly name: string; readonly problem: string | undefined }[];
}

export interface Health {
  /** The process works: a failure restarts it. Never about another system, whose failure no restart heals. */
  live(name: string, check: HealthCheck): void;
  /** It may be given work: caches are read. A follower of an election is ready too. */
  ready(name: string, check: HealthCheck): void;
  report(which: 'live' | 'ready'): HealthReport;
}

export function createHealth(): Health {
  const checks = { live: new Map<string, HealthCheck>(), ready: new Map<string, HealthCheck>() };
  return {
    live: (name, check) => checks.live.set(name, check),
    ready: (name, check) => checks.ready.set(name, check),
    report(which) {
      const results = [...checks[which]].map(([name, check]) => ({ name, problem: check() }));
      return { ok: results.every(({ problem }) => problem === undefined), checks: results };
    },
  };
}

const PATHS: Readonly<Record<string, 'live' | 'ready'>> = {
  '/livez': 'live',
  '/healthz': 'live',
  '/readyz': 'ready',
};

/** Answers `/livez`, `/healthz` and `/readyz`; false where the path is another one. `?verbose` lists the checks. */
export function answerHealth(health: Health, request: IncomingMessage, response: ServerResponse): boolean {
  const [path, query] = (request.url ?? '').split('?', 2);
  const which = PATHS[path ?? ''];
  if (which === undefined) return false;
  const { ok, checks } = health.report(which);
  const lines = checks.map(({ name, problem }) => (problem === undefined ? `[+] ${name}` : `[-] ${name}: ${problem}`));
  const detailed = !ok || new URLSearchParams(query).has('verbose');
  response.writeHead(ok ? 200 : 503, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
  response.end([...(detailed ? lines : []), ok ? 'ok' : 'failed', ''].join('\n'));
  return true;
}
