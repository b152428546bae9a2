import { TRUST_DOMAIN } from '../../api/names.ts';
import type { TrustDomain } from '../../api/trust-domain.ts';
import type { CallOptions } from '../../kubernetes/answer.ts';
import type { KubeClient } from '../../kubernetes/client.ts';
import { isDenied, isNotFound } from '../../kubernetes/errors.ts';
import type { Hub } from '../command-world.ts';
import { CommandFailure } from '../exit-code.ts';

/** Every trust domain of the namespace, or the one that is named. */
export async function findDomains(
  { client, namespace }: Hub,
  name: string | undefined,
  call: CallOptions,
): Promise<readonly TrustDomain[]> {
  const all = await listed(client, namespace, call);
  const found = name === undefined ? all : all.filter(({ metadata }) => metadata.name === name);
  if (found.length > 0) return found;
  const what = name === undefined ? 'No TrustDomain is' : `No TrustDomain "${name}" is`;
  throw new CommandFailure(`${what} in the namespace ${namespace}: ${await elsewhere(client, all, call)}`);
}

/** The one trust domain that a command is about. */
export async function findDomain(hub: Hub, name: string | undefined, call: CallOptions): Promise<TrustDomain> {
  const found = await findDomains(hub, name, call);
  const [domain] = found;
  if (domain !== undefined && found.length === 1) return domain;
  const names = found.map(({ metadata }) => metadata.name).join(', ');
  throw new CommandFailure(
    `There is more than one TrustDomain in the namespace ${hub.namespace}: name one of ${names} with --domain`,
  );
}

async function listed(client: KubeClient, namespace: string, call: CallOptions): Promise<readonly TrustDomain[]> {
  try {
    return (await client.list<TrustDomain>(TRUST_DOMAIN, { namespace }, call)).items;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new CommandFailure(
      'The cluster does not know TrustDomains: check --context, or install them with keyturn crds | kubectl apply -f -',
      { cause: error },
    );
  }
}

/** What to do next, where nothing was found. */
async function elsewhere(client: KubeClient, here: readonly TrustDomain[], call: CallOptions): Promise<string> {
  if (here.length > 0) return `there are ${here.map(({ metadata }) => metadata.name).join(', ')}`;
  try {
    const { items } = await client.list<TrustDomain>(TRUST_DOMAIN, {}, call);
    const namespaces = [...new Set(items.map(({ metadata }) => metadata.namespace ?? ''))];
    if (namespaces.length > 0) return `there are some in ${namespaces.join(', ')}, name the namespace with -n`;
  } catch (error) {
    if (!isDenied(error) && !isNotFound(error)) throw error;
  }
  return 'create one (docs/install.md), or name its namespace with -n';
}
