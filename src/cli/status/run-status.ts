import { RUNTIME_TRUST, TRUST_DOMAIN } from '../../api/names.ts';
import type { RuntimeTrust } from '../../api/runtime-trust.ts';
import type { TrustDomain } from '../../api/trust-domain.ts';
import { type Informer, startInformer } from '../../kubernetes/informer.ts';
import type { KubeObject, Resource } from '../../kubernetes/resource.ts';
import { type CommandWorld, type Hub, type HubFlags, withHub } from '../command-world.ts';
import { CommandFailure, EXIT, type ExitCode } from '../exit-code.ts';
import { findDomains } from '../hub/find-domain.ts';
import { belongsTo, readRecords, recordsNamespace } from '../hub/read-records.ts';
import { type OutputFormat, print, rendered } from '../output.ts';
import { type DomainNow, statusResult } from './status-result.ts';

export interface StatusFlags extends HubFlags {
  readonly output: OutputFormat;
  readonly watch: boolean;
  readonly all: boolean;
}

/** Many events of one moment are shown together. */
const togetherMs = 200;

export function runStatus(flags: StatusFlags, world: CommandWorld): Promise<ExitCode> {
  return withHub(world, flags, async (hub) => {
    const call = { signal: world.signal };
    const domains = await findDomains(hub, flags.domain, call);
    const { paint } = world.terminal.screen();
    const options = { all: flags.all, paint };
    if (flags.watch) {
      await followStatus(hub, domains, flags, world);
      return EXIT.done;
    }
    const now = await Promise.all(
      domains.map(async (domain): Promise<DomainNow> => {
        const records = await readRecords(hub.client, domain, call);
        return { domain, records: [...records.values()] };
      }),
    );
    await print(world.terminal, statusResult(now, { ...options, nowMs: world.clock.nowMs() }), flags.output);
    return EXIT.done;
  });
}

/** Shows the status again after each change, until the person stops it. */
async function followStatus(
  hub: Hub,
  domains: readonly TrustDomain[],
  flags: StatusFlags,
  { terminal, clock, signal }: CommandWorld,
): Promise<void> {
  const screen = terminal.screen();
  const asked = domains.map(({ metadata }) => metadata.name);
  const watch = <T extends KubeObject>(resource: Resource, namespace: string): Informer<T> =>
    startInformer<T>({ client: hub.client, resource, selection: { namespace }, clock, signal });
  const domainWatch = watch<TrustDomain>(TRUST_DOMAIN, hub.namespace);
  const namespaces = [...new Set(domains.map(recordsNamespace))];
  const recordWatches = namespaces.map((namespace) => watch<RuntimeTrust>(RUNTIME_TRUST, namespace));
  let wake = (): void => undefined;
  let changed = new Promise<void>((resolve) => {
    wake = resolve;
  });
  domainWatch.store.subscribe(() => wake());
  for (const { store } of recordWatches) store.subscribe(() => wake());
  let before = '';
  try {
    await Promise.all([domainWatch, ...recordWatches].map(({ store }) => store.whenSynced(signal)));
    for (;;) {
      changed = new Promise((resolve) => {
        wake = resolve;
      });
      const now = domainWatch.store
        .list()
        .filter(({ metadata }) => asked.includes(metadata.name))
        .map((domain): DomainNow => {
          const records = recordWatches.flatMap(({ store }) => [...store.list()]);
          return { domain, records: records.filter((record) => belongsTo(domain, record)).sort(byName) };
        });
      if (now.length === 0) throw new CommandFailure('The TrustDomain that was watched is gone');
      const result = statusResult(now, { all: flags.all, paint: screen.paint, nowMs: clock.nowMs() });
      const text = await rendered(result, flags.output);
      if (screen.isTerminal && (flags.output === 'table' || flags.output === 'wide')) {
        screen.table(result.lines(flags.output === 'wide'));
      } else if (text !== before) {
        terminal.write(flags.output === 'json' ? `${JSON.stringify(result.value)}\n` : text);
      }
      before = text;
      await Promise.race([changed, aborted(signal)]);
      if (signal.aborted) return;
      await clock.delay(togetherMs, signal).catch(() => undefined);
    }
  } finally {
    screen.end();
  }
}

function byName(a: KubeObject, b: KubeObject): number {
  return a.metadata.name.localeCompare(b.metadata.name, 'en', { numeric: true });
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
