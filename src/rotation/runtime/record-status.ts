import { type ConditionNow, withConditions } from '../../api/condition.ts';
import { explain, type Reason } from '../../api/reasons.ts';
import type { RuntimeTrust, RuntimeTrustCondition, RuntimeTrustStatus } from '../../api/runtime-trust.ts';
import type { IssueStep } from '../decide/needs-issue.ts';
import type { GatewaySecret, Holdings } from '../decide/values.ts';

/** Everything that the status of a record is made from. */
export interface RecordView {
  readonly record: RuntimeTrust;
  readonly held: Holdings;
  readonly clusterUid: string | undefined;
  readonly reachable: Said;
  readonly issue: IssueStep;
  /** Why the issuer is not asked, or what it refused. */
  readonly issueTrouble: { readonly reason: Reason; readonly message: string } | null;
  readonly waits: readonly Reason[];
  readonly gateway: GatewaySecret | null;
  /** Something is being written right now. */
  readonly delivering: boolean;
  /** What another writer or a refusal did, if anything. */
  readonly trouble: { readonly reason: Reason; readonly message: string } | null;
  readonly nowMs: number;
}

export interface Said {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: Reason;
  readonly message?: string;
}

/** The status as it should stand; equal to the standing one where nothing has changed. */
export function recordStatus(view: RecordView): RuntimeTrustStatus {
  const { record, held, nowMs } = view;
  const before = record.status;
  const generation = record.metadata.generation ?? 0;
  const newest = held.values.at(-1);
  const given = newest?.state === 'intended' ? held.values.findLast(({ state }) => state !== 'intended') : newest;
  const clusterUid = view.clusterUid ?? before?.clusterUid;
  const steps: readonly (readonly [RuntimeTrustCondition, Said])[] = [
    ['Reachable', view.reachable],
    ['CertificateIssued', certificateIssued(view)],
    ['Delivered', delivered(view)],
  ];
  const open = steps.find(([, said]) => said.status !== 'True')?.[1];
  const ready: Said = open === undefined ? { status: 'True', reason: 'Settled' } : { ...open, status: 'False' };
  const changes = [['Ready', ready] as const, ...steps].map(
    ([type, said]): ConditionNow => ({
      type,
      status: said.status,
      reason: said.reason,
      message: said.message ?? explain(said.reason),
    }),
  );
  return {
    observedGeneration: generation,
    conditions: withConditions(before?.conditions, changes, generation, nowMs),
    ...(clusterUid === undefined ? {} : { clusterUid }),
    held,
    root: given?.client?.signer ?? '',
    bundleCount: given?.bundle.length ?? 0,
    proof: isProven(held) ? 'delivered' : 'none',
    waits: view.waits.slice(0, 20),
  };
}

function isProven(held: Holdings): boolean {
  return held.beyond === 'nothing' && held.values.length === 1 && held.values[0]?.state === 'confirmed';
}

function certificateIssued({ issue, issueTrouble }: RecordView): Said {
  if (issue.step === 'none') return { status: 'True', reason: 'CertificateIssued' };
  const asks = issue.step === 'apply' || issue.step === 'renew';
  return asks && issueTrouble !== null
    ? { status: 'False', ...issueTrouble }
    : { status: 'False', reason: issue.reason };
}

function delivered({ held, waits, gateway, delivering, trouble }: RecordView): Said {
  if (trouble !== null) return { status: 'False', ...trouble };
  const [wait] = waits;
  if (wait !== undefined) return { status: 'False', reason: wait };
  const newest = held.values.at(-1);
  const whole = newest?.state === 'confirmed' && gateway?.bundle.length === newest.bundle.length;
  if (delivering || !whole) return { status: 'False', reason: 'Delivering' };
  return isProven(held) ? { status: 'True', reason: 'Delivered' } : { status: 'False', reason: 'DeliveryNotProven' };
}

/** The status of a runtime that is left alone: everything else in it stays as it was left. */
export function leftAlone(record: RuntimeTrust, reason: Reason, nowMs: number): RuntimeTrustStatus {
  const generation = record.metadata.generation ?? 0;
  const ready: ConditionNow = { type: 'Ready', status: 'False', reason, message: explain(reason) };
  return {
    ...record.status,
    observedGeneration: generation,
    conditions: withConditions(record.status?.conditions, [ready], generation, nowMs),
    waits: [reason],
  };
}
