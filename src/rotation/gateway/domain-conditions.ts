import type { ConditionNow } from '../../api/condition.ts';
import { explain, type Reason } from '../../api/reasons.ts';
import type { TrustDomainCondition } from '../../api/trust-domain-status.ts';
import { isSettled } from '../decide/gateway-journal.ts';
import type { DomainCounts, DomainView } from './domain-view.ts';

interface Said {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: Reason;
  readonly message?: string;
}

/** No certificate of it gains anything, so what can wait for another root does. */
function isCurrentTainted({ domain, plan: { admission } }: DomainView): boolean {
  return admission.admitted && domain.spec.tainted.some(({ publicKey }) => publicKey === admission.root.keyId);
}

/** The conditions of a trust domain, in the order in which a rotation passes them; `Ready` last. */
export function domainConditions(view: DomainView, counts: DomainCounts): readonly ConditionNow[] {
  const { halted } = view;
  const steps: readonly (readonly [TrustDomainCondition, Said])[] = [
    ['RootAdmitted', rootAdmitted(view)],
    ['GatewayProven', gatewayProven(view)],
    ['ServerCurrent', serverCurrent(view)],
    ['FleetCurrent', fleetCurrent(view, counts)],
    ['TaintedReplaced', taintedReplaced(view, counts)],
    ['OldRootsRetired', oldRootsRetired(view)],
  ];
  const open = steps.find(([, said]) => said.status !== 'True')?.[1];
  const ready: Said =
    halted !== null
      ? { status: 'False', reason: halted.reason, message: halted.message }
      : open === undefined
        ? { status: 'True', reason: 'Settled' }
        : view.domain.spec.paused
          ? { status: 'False', reason: 'Paused' }
          : steps[0]?.[1].status === 'True'
            ? { status: 'False', reason: isCurrentTainted(view) ? 'RootTainted' : 'Rotating' }
            : {
                status: 'False',
                reason: open.reason,
                ...(open.message === undefined ? {} : { message: open.message }),
              };
  return [...steps, ['Ready', ready] as const].map(([type, said]) => ({
    type,
    status: said.status,
    reason: said.reason,
    message: said.message ?? explain(said.reason),
  }));
}

function rootAdmitted({ plan, rootDetails }: DomainView): Said {
  if (plan.admission.admitted) return { status: 'True', reason: 'RootAdmitted' };
  const [reason = 'RootUnreadable'] = plan.admission.reasons;
  return { status: 'False', reason, message: [explain(reason), ...rootDetails].join(' ') };
}

function gatewayProven({ secret, journal, endpointCount, endpointNotes }: DomainView): Said {
  if (secret === null || journal === null) return { status: 'False', reason: 'GatewaySecretMissing' };
  if (isSettled(journal)) return { status: 'True', reason: 'GatewayProven' };
  if (endpointCount === null) return { status: 'False', reason: 'GatewayNotAsked' };
  if (endpointCount === 0) return { status: 'False', reason: 'NoGatewayEndpoint' };
  const reason = journal.doubt ?? 'GatewayNotAsked';
  return { status: 'False', reason, message: [explain(reason), ...endpointNotes].join(' ') };
}

function serverCurrent(view: DomainView): Said {
  const { plan, secret, journal } = view;
  if (secret === null) return { status: 'False', reason: 'GatewaySecretMissing' };
  if (plan.serverNeed === null) {
    const written = plan.admission.admitted && secret.server?.signer === plan.admission.root.keyId;
    if (!written) return { status: 'Unknown', reason: 'NotLookedAt' };
    const proven = journal !== null && journal.servers.length === 1 && journal.servers[0]?.value !== null;
    return proven ? { status: 'True', reason: 'ServerCurrent' } : { status: 'False', reason: 'ServerWaitsForProof' };
  }
  if (plan.candidate === null) {
    return { status: 'False', reason: isCurrentTainted(view) ? 'RootTainted' : 'ServerWaitsForCandidate' };
  }
  const { waitsFor = [], breaks = [] } = plan.switch ?? {};
  if (breaks.length > 0) {
    return {
      status: 'False',
      reason: 'RuntimesGivenUp',
      message: `${explain('RuntimesGivenUp')} Given up: ${some(breaks)}`,
    };
  }
  if (waitsFor.length === 0) return { status: 'False', reason: 'ServerWaitsForCandidate' };
  const message = `${explain('ServerWaitsForRuntimes')} Awaited: ${some(waitsFor)}`;
  return { status: 'False', reason: 'ServerWaitsForRuntimes', message };
}

function fleetCurrent(view: DomainView, counts: DomainCounts): Said {
  if (view.secret === null) return { status: 'False', reason: 'GatewaySecretMissing' };
  if (counts.current === counts.total && counts.bundle === counts.total)
    return { status: 'True', reason: 'FleetCurrent' };
  const reason = isCurrentTainted(view) && counts.bundle === counts.total ? 'RootTainted' : 'RuntimesBehind';
  const message = `${explain(reason)} ${counts.current} of ${counts.total} have a certificate of the current root, ${counts.bundle} the bundle`;
  return { status: 'False', reason, message };
}

function taintedReplaced(view: DomainView, { tainted, total }: DomainCounts): Said {
  const keys = view.domain.spec.tainted.map(({ publicKey }) => publicKey);
  const roots = view.secret?.bundle.filter(({ keyId }) => keys.includes(keyId)) ?? [];
  const named = roots.map(({ digest }) => digest.slice(0, 12)).join(', ');
  const message = (reason: Reason): string =>
    `${explain(reason)} ${tainted} of ${total} may present a certificate of ${named || 'one'}`;
  if (isCurrentTainted(view)) return { status: 'False', reason: 'RootTainted', message: message('RootTainted') };
  if (tainted === 0) return { status: 'True', reason: 'TaintedReplaced' };
  return { status: 'False', reason: 'TaintedInUse', message: message('TaintedInUse') };
}

function oldRootsRetired({ secret, plan }: DomainView): Said {
  if (secret === null) return { status: 'False', reason: 'GatewaySecretMissing' };
  const current = plan.admission.admitted ? plan.admission.root.digest : null;
  return secret.bundle.every(({ digest }) => digest === current)
    ? { status: 'True', reason: 'OldRootsRetired' }
    : { status: 'False', reason: 'OldRootsInUse' };
}

function some(names: readonly string[]): string {
  const first = [...names].sort().slice(0, 5).join(', ');
  return names.length > 5 ? `${first} and ${names.length - 5} more` : first;
}
