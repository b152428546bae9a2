import { expect, test } from 'vitest';
import type { KubeObject } from '../../kubernetes/resource.ts';
import { issuerRate } from './issuer-rate.ts';

const beginMs = Date.UTC(2026, 0, 1);
const time = (seconds: number): string => new Date(beginMs + seconds * 1_000).toISOString();
const request = (createdS: number, readyS: number | null): KubeObject => ({
  metadata: { name: `r-${createdS}`, creationTimestamp: time(createdS) },
  status: {
    conditions: [
      { type: 'Approved', status: 'True', lastTransitionTime: time(createdS) },
      ...(readyS === null ? [] : [{ type: 'Ready', status: 'True', lastTransitionTime: time(readyS) }]),
    ],
  },
});

test('the rate is that of the last run of issuances, and what came long before does not count', () => {
  const old = Array.from({ length: 50 }, (_, index) => request(index, index + 1));
  const last = Array.from({ length: 20 }, (_, index) => request(1_000, 1_000 + (index + 1) / 2));
  expect(issuerRate([...old, ...last], [])).toEqual({ perSecond: 2, measured: 20, from: 'CertificateRequests' });
});

test('requests that are not fulfilled count for nothing', () => {
  expect(issuerRate([request(0, null), request(0, null), request(0, null)], [])).toBeNull();
});

test('times in whole seconds give no endless rate', () => {
  const burst = Array.from({ length: 30 }, () => request(0, 0));
  expect(issuerRate(burst, [])?.perSecond).toBe(30);
});

test('without requests the starts of certificates are taken', () => {
  const certificates = [0, 2, 4, 6].map(
    (at): KubeObject => ({
      metadata: { name: `c-${at}` },
      status: { notBefore: time(at) },
    }),
  );
  expect(issuerRate([], certificates)).toEqual({ perSecond: 4 / 6, measured: 4, from: 'Certificates' });
});

test('of two issuances no rate is told', () => {
  expect(issuerRate([request(0, 1), request(1, 2)], [])).toBeNull();
});
