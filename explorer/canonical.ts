/**
 * Names for states. Two states have one name when the same can happen from both: a name forgets in which order serials and
 * leaves were numbered and which runtime is which, and says of a version only what it is equal to, since nothing else about it can ever matter.
 *
 * @module
 */
import type { GatewayWrite } from '../src/rotation/decide/gateway.ts';
import type { GatewayJournal } from '../src/rotation/decide/gateway-journal.ts';
import type { StandingSecret } from '../src/rotation/decide/holdings.ts';
import type { GatewaySecret, HeldClient, Holdings, Leaf, Root } from '../src/rotation/decide/values.ts';
import type { GatewayVersion, LateWrite, RuntimeState, World } from './world.ts';

/**
 * The canonical name. Runtimes are put in the order of their texts without numbers; where two look alike all their orders
 * are tried and the smallest text is taken.
 */
export function canonical(world: World): string {
  const { runtimes, late } = world;
  const gateway = gatewayText(world);
  const texts = runtimes.map(runtimeText);
  const orders = ORDERS[runtimes.length] ?? [];
  let best = '';
  for (const order of orders) {
    if (!isSorted(order, texts)) continue;
    let text = gateway;
    for (const index of order) text += `#${texts[index]?.text}`;
    for (const write of late) text += `!${lateText(write, order, world)}`;
    const name = renumber(text);
    if (best === '' || name < best) best = name;
  }
  return best;
}

function gatewayText(world: World): string {
  const { secret, candidate, versions, status, journal, gatewayPending } = world;
  const standing = secret.resourceVersion;
  return [
    world.rootIndex,
    world.tainted.join(),
    `${world.bundleAt}${world.serverAt}${world.slow ? 's' : ''}${world.restarted ? 'r' : ''}`,
    memo(secret, secretText),
    leafText(candidate),
    memo(versions, versionsText),
    statusText(status, secret),
    world.probeKeys.join(),
    journal === null ? '' : journalText(journal, world),
    gatewayPending === null ? '' : writeText(gatewayPending, standing),
  ].join('|');
}

function secretText(secret: GatewaySecret): string {
  const recorded = secret.bundle.map(({ digest }) => (secret.added[digest] === undefined ? '' : '+')).join('');
  return `${rootsText(secret.bundle)} ${recorded} ${leafText(secret.server)} ${secret.closing.join()}`;
}

function versionsText(versions: readonly GatewayVersion[]): string {
  return versions.map((at) => `${rootsText(at.bundle)} ${leafText(at.server)}`).join(';');
}

/** An entry that does not fit the standing Secret never will: each addition has a version of its own. */
function statusText({ trusted, proof }: World['status'], secret: GatewaySecret): string {
  const roots = trusted.filter(({ digest, added }) => secret.added[digest] === added).map(({ digest }) => digest);
  const standing = secret.resourceVersion;
  return `${roots.join()} ${proof?.bundleVersion === standing} ${proof?.serverVersion === standing}`;
}

function journalText(journal: GatewayJournal, world: World): string {
  const index = (version: string): number => world.versions.findIndex(({ names }) => names.includes(version));
  const bundles = journal.bundles.map((at) => (at.value === null ? '?' : `${index(at.version)}${rootsText(at.value)}`));
  const servers = journal.servers.map((at) =>
    at.value === null || at.value === 'none' ? '?' : `${index(at.version)}${leafText(at.value)}`,
  );
  return `${journal.version === world.secret.resourceVersion} ${bundles.join(';')} / ${servers.join(';')}`;
}

/** A write whose base is gone fails, whatever it holds. */
function writeText(write: GatewayWrite, standing: string): string {
  if (write.baseVersion !== standing) return 'stale';
  return `${write.why} ${rootsText(write.bundle)} ${leafText(write.server)} ${write.closing.join()}`;
}

interface RuntimeText {
  readonly text: string;
  readonly withoutNumbers: string;
}

const runtimeTexts = new WeakMap<RuntimeState, RuntimeText>();

function runtimeText(runtime: RuntimeState): RuntimeText {
  const known = runtimeTexts.get(runtime);
  if (known !== undefined) return known;
  const { certificate, record, webhook, pending, stale } = runtime;
  const standing = runtime.log.at(-1)?.resourceVersion ?? '';
  const text = [
    `${runtime.kyma[0]}${runtime.reachable ? '' : 'u'}${runtime.ahead ? 'a' : ''}`,
    runtime.log.map(standingText).join(';'),
    webhook === null
      ? ''
      : `${webhook.serial} ${webhook.watched} ${webhook.log.map((at) => rootsText(at.roots)).join(';')}`,
    certificate === null ? '' : `${certificate.issuing} ${leafText(certificate.pair)}`,
    record === null ? '' : `${heldText(record.held, standing)} ${runtime.fenced.join()}`,
    pending === null ? '' : pendingText(pending, runtime),
    stale === null
      ? ''
      : `${stale.secret?.resourceVersion === standing} ${stale.secret === null ? '' : standingText(stale.secret)}`,
  ].join('|');
  const both = { text, withoutNumbers: text.replace(NUMBERED, '$1') };
  runtimeTexts.set(runtime, both);
  return both;
}

function standingText(value: StandingSecret): string {
  return `${value.serial} ${value.bundle.join()} ${clientText(value.client)}`;
}

function heldText(held: Holdings, standing: string): string {
  const values = held.values.map(
    (at) =>
      `${at.state === 'adopted' ? 'found' : at.serial} ${at.bundle.join()} ${clientText(at.client)} ${at.state[0]} ${at.resourceVersion === standing}`,
  );
  return `${held.beyond} ${values.join(';')}`;
}

function pendingText({ action, client }: NonNullable<RuntimeState['pending']>, runtime: RuntimeState): string {
  switch (action.do) {
    case 'writeCaBundle':
      return action.baseVersion === runtime.webhook?.version
        ? `ca ${action.serial} ${rootsText(action.caBundle)}`
        : 'stale';
    case 'writeSecret':
      return action.baseVersion === (runtime.log.at(-1)?.resourceVersion ?? '')
        ? `secret ${action.serial} ${action.bundle.join()} ${clientText(client)}`
        : 'stale';
    default:
      return action.do;
  }
}

function lateText(write: LateWrite, order: readonly number[], world: World): string {
  if (write.to === 'gateway') return writeText(write.action, world.secret.resourceVersion);
  const runtime = world.runtimes[write.runtime];
  return `${order.indexOf(write.runtime)} ${runtime === undefined ? '' : pendingText(write.pending, runtime)}`;
}

function rootsText(roots: readonly Root[]): string {
  let text = '';
  for (const root of roots) text += `${root.digest},`;
  return text;
}

function leafText(leaf: Leaf | null): string {
  return leaf === null ? '-' : `${leaf.digest}>${leaf.signer}`;
}

function clientText(client: HeldClient | null): string {
  return client === null ? '-' : `${client.digest}>${client.signer}`;
}

const texts = new WeakMap<object, string>();

/** States share most of their parts, so a part is turned into text once. */
function memo<T extends object>(part: T, toText: (part: T) => string): string {
  let text = texts.get(part);
  if (text === undefined) {
    text = toText(part);
    texts.set(part, text);
  }
  return text;
}

function isSorted(order: readonly number[], runtimes: readonly RuntimeText[]): boolean {
  return order.every(
    (at, index) =>
      index === 0 || (runtimes[order[index - 1] ?? 0]?.withoutNumbers ?? '') <= (runtimes[at]?.withoutNumbers ?? ''),
  );
}

/** Serials and leaves: `s3`, `l7`, `c5`. */
const NUMBERED = /\b([slc])\d+/g;

function renumber(text: string): string {
  const names = new Map<string, string>();
  return text.replace(NUMBERED, (token, kind: string) => {
    let name = names.get(token);
    if (name === undefined) {
      name = kind + names.size;
      names.set(token, name);
    }
    return name;
  });
}

const ORDERS: readonly (readonly (readonly number[])[])[] = [
  [[]],
  [[0]],
  [
    [0, 1],
    [1, 0],
  ],
  [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ],
];

/** A 53-bit hash of a text (two rounds of multiply and xor over its characters). */
export function hash(text: string): number {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return 4294967296 * (2097151 & b) + (a >>> 0);
}
