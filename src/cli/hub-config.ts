import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type ClusterConfig, inClusterConfig, loadKubeconfig } from '../kubernetes/kubeconfig.ts';
import { CommandFailure } from './exit-code.ts';

/**
 * How to reach the hub: the given file, else the one in `KUBECONFIG`, else the service account of this pod, else
 * `~/.kube/config`.
 *
 * @throws {CommandFailure} when there is none or it cannot be read
 */
export function hubConfig(
  given: { readonly kubeconfig?: string; readonly context?: string },
  env: NodeJS.ProcessEnv = process.env,
): ClusterConfig {
  const file = given.kubeconfig ?? (env['KUBECONFIG'] || undefined);
  try {
    if (file !== undefined) return loadKubeconfig(file, given.context);
    const inCluster = given.context === undefined ? inClusterConfig(env) : undefined;
    if (inCluster !== undefined) return inCluster;
    const usual = join(homedir(), '.kube', 'config');
    if (existsSync(usual)) return loadKubeconfig(usual, given.context);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CommandFailure(
      `The hub's kubeconfig cannot be used: ${why}. Name another file with --kubeconfig, or another context with --context`,
      { cause },
    );
  }
  throw new CommandFailure('No kubeconfig for the hub was found: name one with --kubeconfig FILE');
}
