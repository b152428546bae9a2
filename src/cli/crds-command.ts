import { Command } from 'commander';
import { crds, DEFAULT_NAMESPACE, hubManifests, toYaml } from '../api/manifests.ts';
import { runtimeRbac } from '../api/rbac.ts';
import { trustDomainDefaults } from '../api/trust-domain.ts';

/** @param write takes what is printed */
export function crdsCommand(write: (text: string) => void): Command {
  return new Command('crds')
    .description('Prints what a hub needs, for kubectl apply -f -: CRDs, roles and the service account.')
    .option('--namespace <name>', 'namespace of the operator', DEFAULT_NAMESPACE)
    .option('--crds-only', 'without roles and service account', false)
    .option('--runtime', 'what a runtime needs instead, where its kubeconfig is not an administrator’s', false)
    .action((flags: { readonly namespace: string; readonly crdsOnly: boolean; readonly runtime: boolean }) => {
      if (flags.runtime) write(toYaml(runtimeRbac(trustDomainDefaults())));
      else write(toYaml(flags.crdsOnly ? crds() : hubManifests(flags.namespace)));
    });
}
