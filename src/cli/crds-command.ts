import { Command } from 'commander';
import { DEFAULT_NAMESPACE } from '../api/names.ts';

interface Flags {
  readonly namespace: string;
  readonly crdsOnly: boolean;
  readonly runtime: boolean;
}

/** @param write takes what is printed */
export function crdsCommand(write: (text: string) => void): Command {
  return new Command('crds')
    .description('Prints what a hub needs, for kubectl apply -f -: CRDs, roles and the service account.')
    .option('-n, --namespace <name>', 'namespace of the operator', DEFAULT_NAMESPACE)
    .option('--crds-only', 'without roles and service account', false)
    .option('--runtime', 'what a runtime needs instead, where its kubeconfig is not an administrator’s', false)
    .action(async (flags: Flags) => {
      const { crds, hubManifests, toYaml } = await import('../api/manifests.ts');
      if (flags.runtime) {
        const { runtimeRbac } = await import('../api/rbac.ts');
        const { trustDomainDefaults } = await import('../api/trust-domain.ts');
        write(toYaml(runtimeRbac(trustDomainDefaults())));
      } else write(toYaml(flags.crdsOnly ? crds() : hubManifests(flags.namespace)));
    });
}
