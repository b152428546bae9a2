import { CERTIFICATE, clientCertificateName, RUNTIME_TRUST } from '../../api/names.ts';
import type { RuntimeTrust } from '../../api/runtime-trust.ts';
import type { TrustDomain } from '../../api/trust-domain.ts';
import { isLiveMember } from '../../fleet/members.ts';
import type { CallOptions } from '../../kubernetes/answer.ts';
import { isDenied, isNotFound } from '../../kubernetes/errors.ts';
import type { KubeObject } from '../../kubernetes/resource.ts';
import { type CommandWorld, type Hub, type HubFlags, withHub } from '../command-world.ts';
import { CommandFailure, EXIT, type ExitCode } from '../exit-code.ts';
import { findDomains } from '../hub/find-domain.ts';
import { belongsTo, recordsNamespace } from '../hub/read-records.ts';
import { type OutputFormat, print } from '../output.ts';
import { type RuntimeSeen, type RuntimeStory, runtimeStory } from './runtime-story.ts';

export interface ExplainFlags extends HubFlags {
  readonly output: OutputFormat;
}

export function runExplain(runtime: string, flags: ExplainFlags, world: CommandWorld): Promise<ExitCode> {
  return withHub(world, flags, async (hub) => {
    const call = { signal: world.signal };
    const seen = await lookFor(hub, await findDomains(hub, flags.domain, call), runtime, world, call);
    const story = runtimeStory(seen);
    await print(
      world.terminal,
      {
        value: { runtime, trustDomain: seen.domain.metadata.name, ...story },
        names: [`runtimetrust/${runtime}`],
        lines: () => linesOf(story),
      },
      flags.output,
    );
    return EXIT.done;
  });
}

/** The runtime, in whichever trust domain it is. */
async function lookFor(
  hub: Hub,
  domains: readonly TrustDomain[],
  name: string,
  { clock }: CommandWorld,
  call: CallOptions,
): Promise<RuntimeSeen> {
  for (const domain of domains) {
    const ref = { namespace: recordsNamespace(domain), name };
    const record = await hub.client.find<RuntimeTrust>(RUNTIME_TRUST, ref, call);
    const ours = record !== undefined && belongsTo(domain, record);
    if (!ours && !(await isLiveMember(hub.client, domain.spec.runtimes, name, call))) continue;
    const certificate = await readCertificate(hub, domain, name, call);
    return { name, domain, record: ours ? record : undefined, certificate, nowMs: clock.nowMs() };
  }
  throw new CommandFailure(
    `No runtime "${name}" belongs to ${domains.map(({ metadata }) => metadata.name).join(', ')}: keyturn status --all names them`,
  );
}

async function readCertificate(
  { client }: Hub,
  { spec }: TrustDomain,
  runtime: string,
  call: CallOptions,
): Promise<KubeObject | undefined | 'unreadable'> {
  try {
    const ref = { namespace: spec.issuer.namespace, name: clientCertificateName(runtime) };
    return await client.find<KubeObject>(CERTIFICATE, ref, call);
  } catch (error) {
    if (isDenied(error)) return 'unreadable';
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function linesOf(story: RuntimeStory): readonly string[] {
  const part = (head: string, sentences: readonly string[]): readonly string[] =>
    sentences.length === 0 ? [] : ['', head, ...sentences.map((sentence) => `  ${sentence}`)];
  return [
    story.state,
    ...part('What it holds', story.holds),
    ...part('How that is proven', story.proof),
    ...part('What it waits for', story.waits),
    ...part('Its certificate in the hub', story.certificate),
    ...part('What others wait for', story.others),
  ];
}
