import type { Reason } from '../../api/reasons.ts';
import { decideGateway, type GatewayPlan } from '../../rotation/decide/gateway.ts';
import { sameDigests } from '../../rotation/decide/holdings.ts';
import { conditionOf, textOf } from '../hub/conditions.ts';
import type { RuntimeLook } from '../hub/look-at-runtime.ts';
import type { HubObserved } from '../hub/observe-hub.ts';
import { short } from '../table.ts';
import { sentenceOf } from './gateway-sentence.ts';

/** What happens next at the gateway. */
export interface GatewayNext {
  /** `null`: nothing is to be done there now. */
  readonly action: string | null;
  /** What keeps the rest of the rotation, as sentences. */
  readonly waits: readonly string[];
  readonly waitsFor: readonly string[];
  readonly breaks: readonly string[];
  readonly kept: readonly { readonly root: string; readonly use: string; readonly by: string }[];
}

/** Runtimes of which the same is to be said. */
export interface RuntimesNext {
  readonly what: string;
  /** Words of the catalogue. */
  readonly reasons: readonly string[];
  readonly names: readonly string[];
}

export interface NextSteps {
  readonly gateway: GatewayNext;
  readonly runtimes: readonly RuntimesNext[];
}

/** What the operator would do next, by its own decisions. */
export function nextSteps(hub: HubObserved, looks: readonly RuntimeLook[]): NextSteps {
  return { gateway: gatewayNext(hub, decideGateway(hub.gateway)), runtimes: grouped(hub, looks) };
}

function gatewayNext({ halted, domain, gateway }: HubObserved, plan: GatewayPlan): GatewayNext {
  const { admission, probe, switch: verdict, retire } = plan;
  const waits: string[] = [];
  if (halted !== null) waits.push(halted.message);
  if (!admission.admitted) waits.push(...admission.reasons.map(explained));
  if (admission.admitted && gateway.policy.tainted.includes(admission.root.keyId)) waits.push(explained('RootTainted'));
  if (gateway.policy.paused) waits.push(explained('Paused'));
  if (probe) {
    const proven = conditionOf(domain.status?.conditions, 'GatewayProven');
    waits.push(proven !== undefined && proven.status !== 'True' ? proven.message : explained('GatewayNotAsked'));
  }
  return {
    action: halted === null && plan.action !== null ? sentenceOf(plan.action) : null,
    waits,
    waitsFor: [...(verdict?.waitsFor ?? [])].sort(),
    breaks: [...(verdict?.breaks ?? [])].sort(),
    kept: Object.entries(retire?.kept ?? {})
      .filter(([, { use }]) => use !== 'IsCurrent')
      .map(([root, { use, by }]) => ({ root: short(root), use, by })),
  };
}

function grouped({ records }: HubObserved, looks: readonly RuntimeLook[]): readonly RuntimesNext[] {
  const groups = new Map<string, { what: string; reasons: readonly string[]; names: string[] }>();
  for (const look of looks) {
    const said = whatNext(look, records.get(look.name)?.status?.waits ?? []);
    const key = JSON.stringify(said);
    const group = groups.get(key) ?? { ...said, names: [] };
    group.names.push(look.name);
    groups.set(key, group);
  }
  return [...groups.values()].sort((a, b) => b.names.length - a.names.length);
}

function whatNext(
  { observed, plan, unreachable }: RuntimeLook,
  told: readonly string[],
): { readonly what: string; readonly reasons: readonly string[] } {
  const { issue } = plan;
  const asks = issue.step === 'apply' || issue.step === 'renew';
  const certificate = asks ? 'a certificate is asked for' : issue.step === 'wait' ? 'its certificate waits' : null;
  const issueReasons: readonly Reason[] = issue.step === 'none' ? [] : [issue.reason];
  const delivery = unreachable === null ? deliveryOf(observed.held, plan) : null;
  const waits = unreachable === null ? plan.waits : unreachable.reason === 'NotLookedAt' ? told : [unreachable.reason];
  const what = [delivery, certificate].filter((part) => part !== null).join(', ');
  // A pair that is missing or on its way says nothing that the certificate does not say already.
  const reasons = [...new Set<string>([...issueReasons, ...waits])];
  if (what === '') return { what: waits.length === 0 ? 'in order' : 'a delivery waits', reasons };
  return { what, reasons };
}

function deliveryOf(held: RuntimeLook['observed']['held'], { action }: RuntimeLook['plan']): string | null {
  switch (action?.do) {
    case 'register':
      return 'it is registered';
    case 'writeCaBundle':
      return 'its caBundle is written';
    case 'writeSecret':
      return 'its Secret is written';
    case 'record': {
      const intent = action.held.values.at(-1);
      const before = held?.values.findLast(({ state }) => state !== 'intended');
      // Otherwise it is bookkeeping of what stands there.
      if (intent?.state !== 'intended' || held?.values.at(-1)?.serial === intent.serial) return null;
      const pair = intent.client?.digest !== before?.client?.digest && intent.client !== null;
      const bundle = before === undefined || !sameDigests(before.bundle, intent.bundle);
      return pair ? (bundle ? 'bundle and pair go out' : 'a new pair goes out') : 'the bundle goes out';
    }
    default:
      return null;
  }
}

function explained(reason: Reason): string {
  const { meaning, next } = textOf(reason);
  return `${meaning} ${next}.`;
}
