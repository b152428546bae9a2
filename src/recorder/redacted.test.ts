import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { findPrivateKeys, keyIdentity, redactPrivateKeys } from '../checker/private-keys.ts';
import { redactedData } from './redacted.ts';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const name = keyIdentity(pem);

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

describe('the name of a private key', () => {
  it('is the same in every encoding', () => {
    expect(name).toMatch(/^spki-sha256:[0-9a-f]{64}$/);
    expect(keyIdentity(privateKey.export({ type: 'sec1', format: 'pem' }).toString())).toBe(name);
    expect(keyIdentity(rsa.export({ type: 'pkcs1', format: 'pem' }).toString())).toBe(
      keyIdentity(rsa.export({ type: 'pkcs8', format: 'pem' }).toString()),
    );
    expect(keyIdentity(name)).toBe(name);
  });
});

describe('redaction', () => {
  it.each([
    ['a PEM block', pem],
    ['an escaped PEM block', JSON.stringify({ text: pem })],
    ['base64 of PEM', `{"tls.key":"${base64(pem)}"}`],
    ['base64 of base64 of PEM', base64(base64(pem))],
    ['base64 of DER (PKCS8)', privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64')],
    ['base64 of DER (SEC1)', privateKey.export({ type: 'sec1', format: 'der' }).toString('base64')],
    ['a mark of an earlier redaction', `[private key ${name}]`],
  ])('names the key in %s and takes it out', (_, text) => {
    const around = `before ${text} after`;
    expect(findPrivateKeys(around).map(({ identity }) => identity)).toEqual([name]);
    expect(redactPrivateKeys(around)).toMatch(/^before .*\[private key spki-sha256:[0-9a-f]{64}\].* after$/s);
    expect(redactPrivateKeys(around)).not.toContain(pem.split('\n')[1]);
    expect(findPrivateKeys(redactPrivateKeys(around)).map(({ identity }) => identity)).toEqual([name]);
  });

  it('takes out a block that was cut off', () => {
    const cut = redactPrivateKeys(pem.slice(0, 120));
    expect(cut).toMatch(/^\[private key sha256:[0-9a-f]{64}\]$/);
  });

  it('leaves other text alone', () => {
    const text = `a status of ${'words and words '.repeat(20)}${base64('no key at all, only some long text '.repeat(5))}`;
    expect(redactPrivateKeys(text)).toBe(text);
  });
});

describe('a recorded Secret', () => {
  it('names its key and keeps the rest', () => {
    expect(redactedData('gateway', { 'tls.key': base64(pem), 'ca.crt': base64('bundle\n') })).toEqual({
      'tls.key': name,
      'ca.crt': 'bundle\n',
    });
  });

  it('that has no part in the rotation keeps the names of its keys alone', () => {
    const data = { 'tls.key': base64(pem), 'key.pem': base64(pem), token: base64('secret token') };
    expect(redactedData('other', data)).toEqual({ 'tls.key': name, 'key.pem': `[private key ${name}]` });
  });
});
