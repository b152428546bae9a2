import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { answerHealth, createHealth, type Health } from './health.ts';

function ask(health: Health, url: string) {
  let status = 0;
  let body = '';
  const response = {
    writeHead(code: number) {
      status = code;
      return response;
    },
    end(text: string) {
      body = text;
    },
  };
  const answered = answerHealth(health, { url } as IncomingMessage, response as unknown as ServerResponse);
  return { answered, status, body };
}

test('a process whose caches are not read yet is alive and not ready, and says why', () => {
  const health = createHealth();
  let synced = false;
  health.live('queue', () => undefined);
  health.ready('secrets', () => (synced ? undefined : 'the initial list is not complete'));
  expect(ask(health, '/livez')).toEqual({ answered: true, status: 200, body: 'ok\n' });
  expect(ask(health, '/readyz')).toMatchObject({
    status: 503,
    body: '[-] secrets: the initial list is not complete\nfailed\n',
  });
  synced = true;
  expect(ask(health, '/readyz?verbose')).toMatchObject({ status: 200, body: '[+] secrets\nok\n' });
});

test('other paths are left to others', () => {
  expect(ask(createHealth(), '/metrics').answered).toBe(false);
});
