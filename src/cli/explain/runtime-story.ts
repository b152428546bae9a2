import { type Held, heldIn } from '../../api/held.ts';
import type { RuntimeTrust } from '../../api/runtime-trust.ts';
import type { TrustDomain } from '../../api/trust-domain.ts';
import { backOffUntilMs, failedIssuances, isIssuing } from '../../issuers/issuing-state.ts';
import type { KubeObject } from '../../kubernetes/resource.ts';
import { conditionOf, textOf } from '../hub/conditions.ts';
import { isTainted } from '../hub/tainted.ts';
import { approximately, short } from '../table.ts';

/** What stands in the hub about one runtime. */
export interface RuntimeSeen {
  readonly name: string;
  readonly domain: TrustDomain;
  /** `undefined`: nothing was recorded yet. */
  readonly record: RuntimeTrust | undefined;
  /** The issuer's resource; `unreadable` where the person may not read it. */
  readonly certificate: KubeObject | undefined | 'unreadable';
  readonly nowMs: number;
}

/** Sentences, by what they answer. */
export interface RuntimeStory {
  readonly state: string;
  readonly holds: readonly string[];
  readonly proof: readonly string[];
  readonly waits: readonly string[];
  readonly certificate: readonly string[];
  readonly others: readonly string[];
}

/** What a runtime holds, how that is proven, and what it waits for. */
export function runtimeStory(seen: RuntimeSeen): RuntimeStory {
  const held = seen.record === undefined ? undefined : heldIn(seen.record.status);
  return {
    state: stateOf(seen),
    holds: holdsOf(seen, held),
    proof: proofOf(seen, held),
    waits: waitsOf(seen),
    certificate: certificateOf(seen),
    others: othersOf(seen),
  };
}

function stateOf({ name, record, domain }: RuntimeSeen): string {
  const ready = conditionOf(record?.status?.conditions, 'Ready');
  const where = `Runtime ${name} of TrustDomain ${domain.metadata.name}`;
  if (record === undefined) return `${where} has no record yet: the operator has not looked at it.`;
  if (ready === undefined) return `${where} has a record without a status: the operator has not looked at it yet.`;
  return ready.status === 'True'
    ? `${where} is in order: ${textOf(ready.reason).meaning}`
    : `${where} is not in order (${ready.reason}): ${ready.message}`;
}

function holdsOf({ domain, nowMs }: RuntimeSeen, held: Held | undefined): readonly string[] {
  if (held === undefined) return ['What it holds is not known.'];
  const given = held.values.findLast(({ state }) => state !== 'intended');
  const { status = {} } = domain;
  const bundle = status.bundle ?? [];
  const sentences: string[] = [];
  if (given === undefined) {
    sentences.push(
      held.beyond === 'lost' ? 'What it holds is not known: its record is lost.' : 'It was given nothing yet.',
    );
  } else if (given.serial === 'absent') {
    sentences.push('Its Secret does not exist: it can present nothing and trusts nobody.');
  } else {
    const missing = bundle.filter(({ digest }) => !given.bundle.includes(digest));
    const whole = missing.length === 0 ? 'the whole bundle of the gateway' : `without ${listed(missing)}`;
    sentences.push(
      `It has a bundle of ${countOf(given.bundle.length, 'root')}, ${whole}: ${given.bundle.map(short).join(', ')}.`,
    );
    sentences.push(clientSentence(given.client, domain, nowMs));
    sentences.push(...taintSentences(held, domain));
  }
  const intent = held.values.at(-1);
  if (intent?.state === 'intended')
    sentences.push(`A delivery (${intent.serial}) is registered, and its answer is not known yet.`);
  return sentences;
}

function taintSentences({ values }: Held, domain: TrustDomain): readonly string[] {
  if (!values.some(({ client }) => isTainted(domain, client?.signer))) return [];
  const may = 'It may present a certificate of a tainted root';
  return isTainted(domain, domain.status?.root?.keyId)
    ? [
        `${may}. The current root is tainted, so another certificate would gain nothing: ask for a new root with keyturn rotate.`,
      ]
    : [`${may}, so it comes before others.`];
}

function clientSentence(client: Held['values'][number]['client'], { status = {} }: TrustDomain, nowMs: number): string {
  if (client === null) return 'It has no client certificate that can be used.';
  const leftMs = client.notAfterMs - nowMs;
  const end = leftMs <= 0 ? 'has expired' : `ends in ${approximately(leftMs)}`;
  const signer = status.bundle?.find(({ keyId }) => keyId === client.signer);
  const whose =
    client.signer === null
      ? 'signed by no known root'
      : client.signer === status.root?.keyId
        ? 'signed by the current root'
        : signer === undefined
          ? 'signed by a root that is not in the bundle of the gateway'
          : `signed by the older root ${short(signer.digest)}`;
  return `Its client certificate ${short(client.digest)} is ${whose} and ${end}.`;
}

function proofOf({ record, domain }: RuntimeSeen, held: Held | undefined): readonly string[] {
  if (held === undefined || record?.status === undefined) return ['Nothing is proven of it.'];
  const delay = domain.spec.proof.propagationDelay;
  if (record.status.proof === 'delivered') {
    return [
      `It is proven to use this and nothing older: the write was confirmed, and the propagation delay (${delay}) has passed since.`,
    ];
  }
  if (held.beyond === 'lost') {
    return [
      `It is not proven: a record was lost or never made, so it may be using anything until a write has been confirmed for the propagation delay (${delay}).`,
    ];
  }
  const values = held.values.length;
  return values > 1
    ? [
        `It is not proven: it may still be using any of ${values} values that it was given, until the newest has been confirmed for the propagation delay (${delay}).`,
      ]
    : [`It is not proven: the newest value has not been confirmed for the propagation delay (${delay}).`];
}

function waitsOf({ record }: RuntimeSeen): readonly string[] {
  const status = record?.status;
  const reasons = new Set<string>(status?.waits ?? []);
  for (const type of ['Reachable', 'CertificateIssued', 'Delivered']) {
    const condition = conditionOf(status?.conditions, type);
    if (condition !== undefined && condition.status !== 'True') reasons.add(condition.reason);
  }
  if (reasons.size === 0) return ['It waits for nothing.'];
  return [...reasons].map((reason) => {
    const { meaning, next } = textOf(reason);
    const said = status?.conditions?.find((condition) => condition.reason === reason)?.message ?? '';
    // A message begins with the text of its reason; what follows is about this runtime.
    const more = said.startsWith(meaning) ? said.slice(`${meaning} ${next}.`.length).trim() : said;
    return `${reason}: ${meaning} ${next}.${more === '' ? '' : ` ${more}`}`;
  });
}

function certificateOf({ certificate, nowMs }: RuntimeSeen): readonly string[] {
  if (certificate === 'unreadable') return ['Its Certificate in the hub may not be read by you.'];
  if (certificate === undefined) return ['It has no Certificate in the hub yet.'];
  const failures = failedIssuances(certificate);
  const untilMs = backOffUntilMs(certificate);
  const failing =
    failures === 0
      ? []
      : [
          `The issuer failed ${countOf(failures, 'time')} in a row${untilMs > nowMs ? ` and tries again by itself in ${approximately(untilMs - nowMs)}` : ''}.`,
        ];
  const where = `Certificate ${certificate.metadata.namespace ?? ''}/${certificate.metadata.name}`;
  return [isIssuing(certificate) ? `${where} is being issued.` : `${where} is issued.`, ...failing];
}

function othersOf({ name, domain }: RuntimeSeen): readonly string[] {
  const { candidate, bundle = [] } = domain.status ?? {};
  const kept = bundle.filter(({ keptBy }) => keptBy?.by === name);
  return [
    ...(candidate?.waitsFor.includes(name) === true ? ['The next server certificate waits for it.'] : []),
    ...(candidate?.breaks.includes(name) === true
      ? ['The next server certificate no longer waits for it: it may break at the switch.']
      : []),
    ...(kept.length === 0 ? [] : [`It keeps ${listed(kept)} in the bundle of the gateway.`]),
  ];
}

function listed(roots: readonly { readonly digest: string }[]): string {
  return `${roots.length === 1 ? 'root' : 'roots'} ${roots.map(({ digest }) => short(digest)).join(', ')}`;
}

function countOf(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
