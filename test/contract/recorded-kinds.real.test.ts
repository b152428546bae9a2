import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { startAuditedFleet } from '../../bench/requests/audited-fleet.ts';
import { benchRequests } from '../../bench/requests/bench-requests.ts';
import { kcp, kymaSystem } from '../../scenarios/hub-objects.ts';
import { type AuditedRequest, kindsOf } from './record-kinds.ts';
import { unrecorded } from './unrecorded.ts';

/** The operator, by its names on the hub and in a runtime; and the administrator, as whom scenarios write. */
const usernames = [`system:serviceaccount:${kcp}:keyturn`, `system:serviceaccount:${kymaSystem}:keyturn`, 'admin'];
/** The real world applies all CRDs of its parts and looks whether each is served. Nothing else asks for these. */
const ofRealPartsOnly = /(clusterissuers|destinationrules|envoyfilters|serviceentries|virtualservices)\./;

test('a fleet that begins, rotates and rests makes no request of a kind that is not recorded', async () => {
  const ending = new AbortController();
  const { signal } = ending;
  const fleet = await startAuditedFleet(2, signal);
  let failed = true;
  try {
    await benchRequests(fleet, { restMs: 1_000, rotation: true, say: () => undefined, signal });
    const logs = [fleet.hub, ...fleet.runtimes].map(({ auditLog = '' }) => readFile(auditLog, 'utf8'));
    const kinds = kindsOf(auditedIn((await Promise.all(logs)).join('')), usernames).filter(
      (kind) => !ofRealPartsOnly.test(kind),
    );
    expect(await unrecorded(kinds)).toEqual([]);
    failed = false;
  } finally {
    await fleet.stop({ failed });
    ending.abort();
  }
});

/** cert-manager is the administrator, too, and speaks to no API server but a real one. */
function auditedIn(text: string): readonly AuditedRequest[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as AuditedRequest & { readonly userAgent?: string })
    .filter(({ userAgent = '' }) => !userAgent.includes('cert-manager') && !userAgent.includes('Kubernetes'));
}
