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
import { wrapped } from '../table.ts';
import { silenceOf, untilSilentMs } from './hub-silence.ts';
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
    const { paint, columns } = world.terminal.screen();
    const options = { all: flags.all, paint, nowMs: world.clock.nowMs(), columns, rows: Number.POSITIVE_INFINITY };
    await print(world.terminal, statusResult(now, options), flags.output);
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
  let wake = (): void => undefined;
  const onChange = (): void => wake();
  const watch = <T extends KubeObject>(resource: Resource, namespace: string): Informer<T> =>
    startInformer<T>({
      client: hub.client,
      resource,
      selection: { namespace },
      clock,
      signal,
      onConnected: onChange,
      onProblem: onChange,
    });
  const domainWatch = watch<TrustDomain>(TRUST_DOMAIN, hub.namespace);
  const namespaces = [...new Set(domains.map(recordsNamespace))];
  const recordWatches = namespaces.map((namespace) => watch<RuntimeTrust>(RUNTIME_TRUST, namespace));
  const informers = [domainWatch, ...recordWatches];
  for (const { store } of informers) {
    store.subscribe(onChange);
    void store.whenSynced(signal).then(onChange, onChange);
  }
  const inPlace = screen.isTerminal && (flags.output === 'table' || flags.output === 'wide');
  let before = '';
  let lines: readonly string[] = [];
  let wasSilent = false;
  let wasShown = false;
  const show = async (): Promise<void> => {
    const silence = silenceOf(informers, clock);
    if (silence !== null) {
      // What is known of it stays below: it is the last that was seen.
      const told = wrapped(silence, screen.columns).map((line) => screen.paint('red', line));
      if (inPlace) screen.table([...told, ...lines]);
      else if (!wasSilent) terminal.writeError(`${silence}\n`);
    } else if (informers.every(({ store }) => store.synced)) {
      wasShown = true;
      if (wasSilent && !inPlace) terminal.writeError('The hub answers again\n');
      const now = domainWatch.store
        .list()
        .filter(({ metadata }) => asked.includes(metadata.name))
        .map((domain): DomainNow => {
          const records = recordWatches.flatMap(({ store }) => [...store.list()]);
          return { domain, records: records.filter((record) => belongsTo(domain, record)).sort(byName) };
        });
      if (now.length === 0) throw new CommandFailure('The TrustDomain that was watched is gone');
      const { paint, columns, rows } = screen;
      const result = statusResult(now, { all: flags.all, paint, nowMs: clock.nowMs(), columns, rows });
      if (inPlace) {
        lines = result.lines(flags.output === 'wide');
        screen.table(lines);
      } else {
        const text = await rendered(result, flags.output);
        if (text !== before) terminal.write(flags.output === 'json' ? `${JSON.stringify(result.value)}\n` : text);
        before = text;
      }
    }
    wasSilent = silence !== null;
  };
  try {
    for (;;) {
      const changed = new Promise<void>((resolve) => {
        wake = resolve;
      });
      await show();
      // Nothing more comes from a hub that is gone.
      const silent = clock.setTimer(untilSilentMs(informers), onChange);
      await Promise.race([changed, aborted(signal)]);
      silent.cancel();
      if (signal.aborted) return;
      if (wasShown) await clock.delay(togetherMs, signal).catch(() => undefined);
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
