import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../kubernetes/resource.ts';
import { VersionLog } from './version-log.ts';

function secret(name: string, resourceVersion: string): KubeObject {
  return { metadata: { namespace: 'istio-system', name, resourceVersion } };
}

function log() {
  const versions: string[] = [];
  const gaps: string[] = [];
  const log = new VersionLog({
    onVersion: ({ metadata }, deleted) =>
      versions.push(`${metadata.name} ${deleted ? 'deleted' : metadata.resourceVersion}`),
    onGap: (detail) => gaps.push(detail),
  });
  const listed = (...objects: readonly KubeObject[]) => {
    log.take({ type: 'Init' });
    for (const object of objects) log.take({ type: 'InitApply', object });
    log.take({ type: 'InitDone' });
  };
  return { log, versions, gaps, listed };
}

describe('VersionLog', () => {
  it('tells each version once, in order', () => {
    const { log: it, versions, gaps, listed } = log();
    expect(it.complete).toBe(false);
    listed(secret('a', '1'));
    expect(it.complete).toBe(true);
    it.take({ type: 'Apply', object: secret('a', '2') });
    it.take({ type: 'Apply', object: secret('a', '2') });
    it.take({ type: 'Apply', object: secret('b', '3') });
    it.take({ type: 'Delete', object: secret('a', '4') });
    it.take({ type: 'Delete', object: secret('a', '4') });
    expect(versions).toEqual(['a 1', 'a 2', 'b 3', 'a deleted']);
    expect(gaps).toEqual([]);
  });

  it('finds no gap in a re-list that shows what was known', () => {
    const { versions, gaps, listed } = log();
    listed(secret('a', '1'), secret('b', '2'));
    listed(secret('a', '1'), secret('b', '2'));
    expect(versions).toEqual(['a 1', 'b 2']);
    expect(gaps).toEqual([]);
  });

  it('tells a gap for each object that a re-list shows changed, new or gone', () => {
    const { versions, gaps, listed } = log();
    listed(secret('a', '1'), secret('b', '2'));
    listed(secret('a', '7'), secret('c', '8'));
    expect(versions).toEqual(['a 1', 'b 2', 'a 7', 'c 8', 'b deleted']);
    expect(gaps).toEqual([
      'istio-system/a changed during a re-list (version 1 to 7)',
      'istio-system/c changed during a re-list (version none to 8)',
      'istio-system/b went away during a re-list',
    ]);
  });

  it('starts a list anew that broke off', () => {
    const { log: it, versions, gaps, listed } = log();
    it.take({ type: 'Init' });
    it.take({ type: 'InitApply', object: secret('a', '1') });
    listed(secret('a', '1'), secret('b', '2'));
    expect(versions).toEqual(['a 1', 'b 2']);
    expect(gaps).toEqual([]);
  });

  it('knows where it lags behind a list', () => {
    const { log: it, listed } = log();
    listed(secret('a', '1'), secret('b', '2'));
    expect(it.lagsBehind([secret('a', '1'), secret('b', '2')])).toEqual([]);
    expect(it.lagsBehind([secret('a', '3'), secret('c', '4')])).toEqual([
      'istio-system/a',
      'istio-system/c',
      'istio-system/b',
    ]);
  });
});
