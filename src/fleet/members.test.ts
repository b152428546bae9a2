import { expect, test } from 'vitest';
import { trustDomainDefaults } from '../api/trust-domain.ts';
import type { KubeObject, SecretObject } from '../kubernetes/resource.ts';
import { fleetSources, membersOf } from './members.ts';

const kymaFleet = trustDomainDefaults({ runtimes: { kyma: {} } }).runtimes;
const selected = trustDomainDefaults({
  runtimes: {
    selector: { namespace: 'fleet', matchLabels: { tier: 'a' }, key: 'value', nameFrom: { label: 'cluster' } },
  },
}).runtimes;

const kyma = (labels: Readonly<Record<string, string>> = {}, rest: object = {}): KubeObject => ({
  metadata: {
    name: 'k1',
    namespace: 'kcp-system',
    uid: 'u1',
    labels: { 'kyma-project.io/runtime-id': 'id-1', ...labels },
    annotations: { 'skr-domain': 'k1.example.com' },
    ...rest,
  },
});
const kubeconfig = (name: string, labels: Readonly<Record<string, string>>, key = 'config'): SecretObject => ({
  metadata: { name, namespace: 'kcp-system', uid: `u-${name}`, resourceVersion: '5', labels },
  data: { [key]: Buffer.from('text').toString('base64') },
});
const ofK1 = { 'operator.kyma-project.io/kyma-name': 'k1' };

test('a Kyma and its kubeconfig Secret are one runtime', () => {
  expect(membersOf(kymaFleet, [kyma()], [kubeconfig('any', ofK1)]).get('k1')).toEqual({
    name: 'k1',
    namespace: 'kcp-system',
    owner: { apiVersion: 'operator.kyma-project.io/v1beta2', kind: 'Kyma', name: 'k1', uid: 'u1' },
    commonName: 'id-1',
    domain: 'k1.example.com',
    skipped: false,
    access: { state: 'found', version: 'u-any/5', kubeconfig: 'text' },
  });
});

test('no kubeconfig Secret and more than one are states of the runtime', () => {
  expect(membersOf(kymaFleet, [kyma()], []).get('k1')?.access).toEqual({ state: 'missing' });
  const two = [kubeconfig('a', ofK1), kubeconfig('b', ofK1)];
  expect(membersOf(kymaFleet, [kyma()], two).get('k1')?.access).toEqual({ state: 'ambiguous' });
});

test('a Kyma that is to be left alone, or is being deleted, still counts', () => {
  const skip = { 'operator.kyma-project.io/skip-reconciliation': 'True' };
  expect(membersOf(kymaFleet, [kyma(skip)], []).get('k1')?.skipped).toBe(true);
  expect(membersOf(kymaFleet, [kyma({}, { deletionTimestamp: '2026-01-01T00:00:00Z' })], []).get('k1')?.skipped).toBe(
    true,
  );
});

test('a selection of kubeconfig Secrets is a fleet, named by a label where one is given', () => {
  expect(fleetSources(selected)).toMatchObject({
    members: { selection: { namespace: 'fleet', labelSelector: 'tier=a' } },
    kubeconfigs: undefined,
    namespace: 'fleet',
  });
  const members = membersOf(selected, [kubeconfig('s', { cluster: 'c1' }, 'value'), kubeconfig('t', {}, 'value')], []);
  expect([...members.keys()]).toEqual(['c1', 't']);
  expect(members.get('c1')?.access).toMatchObject({ state: 'found', kubeconfig: 'text' });
});

test('two Secrets of one name are no pair of runtimes to choose from', () => {
  const twins = [kubeconfig('s', { cluster: 'c1' }, 'value'), kubeconfig('t', { cluster: 'c1' }, 'value')];
  expect(membersOf(selected, twins, []).get('c1')?.access).toEqual({ state: 'ambiguous' });
});
