/**
 * Names for states. A name forgets in which order versions, serials and leaves were numbered, and which runtime is which.
 *
 * @module
 */
import type { GatewayWrite } from '../src/rotation/decide/gateway.ts';
import type { GatewayJournal } from '../src/rotation/decide/gateway-journal.ts';
import type { StandingSecret } from '../src/rotation/decide/holdings.ts';
import type { RuntimeAction } from '../src/rotation/decide/runtime.ts';
import type { Digest, GatewaySecret, HeldClient, Holdings, Leaf, Root } from '../src/rotation/decide/values.ts';
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
    for (const write of late) text += `!${lateText(write, order)}`;
    const name = renumber(text);
    if (best === '' || name < best) best = name;
  }
  return best;
}

function gatewayText(world: World): string {
  const { secret, candidate, versions, status, journal, gatewayPending } = world;
  return [
    world.rootIndex,
    `${world.bundleAt}${world.serverAt}${world.slow ? 's' : ''}${world.restarted ? 'r' : ''}`,
    memo(secret, secretText),
    leafText(candidate),
    memo(versions, versionsText),
    memo(status, statusText),
    world.probeKeys.join(),
    journal === null ? '' : memo(journal, journalText),
    gatewayPending === null ? '' : memo(gatewayPending, writeText),
  ].join('|');
}

function secretText(secret: GatewaySecret): string {
  return `${secret.resourceVersion} ${rootsText(secret.bundle)} ${addedText(secret.added)} ${leafText(secret.server)} ${secret.closing.join()}`;
}

function versionsText(versions: readonly GatewayVersion[]): string {
  return versions.map((at) => `${at.names.join()} ${rootsText(at.bundle)} ${leafText(at.server)}`).join(';');
}

function statusText({ trusted, proof }: World['status']): string {
  const roots = trusted.map(({ digest, added }) => `${digest}=${added}`).join();
  return `${roots} ${proof?.bundleVersion} ${proof?.serverVersion}`;
}

function journalText(journal: GatewayJournal): string {
  const bundles = journal.bundles.map((at) => `${at.version} ${at.value === null ? '?' : rootsText(at.value)}`);
  const servers = journal.servers.map(
    (at) => `${at.version} ${at.value === null || at.value === 'none' ? '?' : leafText(at.value)}`,
  );
  return `${journal.version} ${bundles.join(';')} / ${servers.join(';')}`;
}

function writeText(write: GatewayWrite): string {
  return `${write.why} ${write.baseVersion} ${rootsText(write.bundle)} ${addedText(write.added)} ${leafText(write.server)} ${write.closing.join()}`;
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
  const text = [
    `${runtime.kyma[0]}${runtime.reachable ? '' : 'u'}`,
    runtime.log.map(standingText).join(';'),
    webhook === null
      ? ''
      : `${webhook.version} ${webhook.serial} ${webhook.watched} ${webhook.log.map((at) => `${at.version} ${rootsText(at.roots)}`).join(';')}`,
    certificate === null ? '' : `${certificate.issuing} ${leafText(certificate.pair)}`,
    record === null ? '' : `${record.version} ${heldText(record.held)}`,
    pending === null ? '' : pendingText(pending),
    stale === null ? '' : stale.secret === null ? 'none' : standingText(stale.secret),
  ].join('|');
  const both = { text, withoutNumbers: text.replace(NUMBERED, '$1') };
  runtimeTexts.set(runtime, both);
  return both;
}

function standingText(value: StandingSecret): string {
  return `${value.resourceVersion} ${value.serial} ${value.bundle.join()} ${clientText(value.client)}`;
}

function heldText(held: Holdings): string {
  return `${held.beyond} ${held.values
    .map((v) => `${v.serial} ${v.bundle.join()} ${clientText(v.client)} ${v.state} ${v.resourceVersion}`)
    .join(';')}`;
}

function pendingText(pending: NonNullable<RuntimeState['pending']>): string {
  return `${actionText(pending.action)} ${clientText(pending.client)} ${pending.recordVersion}`;
}

function actionText(action: RuntimeAction): string {
  switch (action.do) {
    case 'register':
      return 'register';
    case 'record':
      return heldText(action.held);
    case 'writeCaBundle':
      return `ca ${action.serial} ${action.baseVersion} ${rootsText(action.caBundle)}`;
    case 'writeSecret':
      return `secret ${action.serial} ${action.baseVersion} ${action.bundle.join()} ${action.pair}`;
  }
}

function lateText(write: LateWrite, order: readonly number[]): string {
  return write.to === 'gateway' ? writeText(write.action) : `${order.indexOf(write.runtime)} ${pendingText(write.pending)}`;
}

function rootsText(roots: readonly Root[]): string {
  let text = '';
  for (const root of roots) text += `${root.digest},`;
  return text;
}

function addedText(added: Readonly<Record<Digest, string>>): string {
  return Object.keys(added)
    .sort()
    .map((digest) => `${digest}=${added[digest]}`)
    .join();
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

/** Versions, serials and leaves: `v12`, `s3`, `l7`, `c5`. */
const NUMBERED = /\b([vslc])\d+/g;

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
  [[0, 1], [1, 0]],
  [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]],
];
