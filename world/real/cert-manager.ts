import { applyCrds } from '../crds.ts';
import { type RunningProcess, startProcess } from '../process.ts';
import type { Workspace } from '../workspace.ts';
import type { ApiServer } from './api-servers.ts';
import { partCrds } from './part-crds.ts';
import { partPath } from './parts/cache.ts';

export interface CertManagerOptions {
  /** Seconds before a failed or denied request is tried again, default 3,600 as in production. */
  readonly backoffSeconds?: number;
  /** False: the caller approves or denies each CertificateRequest. Default true. */
  readonly approve?: boolean;
  readonly signal?: AbortSignal;
}

/** Applies cert-manager's CRDs to a cluster; needed once before `startCertManager`. */
export async function installCertManagerCrds({ client }: ApiServer, signal?: AbortSignal): Promise<void> {
  // Orders and challenges (ACME) have no controller here, and every CRD costs the API server time.
  const crds = (await partCrds('cert-manager')).filter(({ metadata }) => !metadata?.name?.includes('.acme.'));
  await applyCrds(client, crds, signal);
}

/** Starts cert-manager's controllers for a cluster as its admin. It has no ready check of its own: it works within a second. */
export function startCertManager(
  cluster: ApiServer,
  workspace: Workspace,
  options: CertManagerOptions = {},
): Promise<RunningProcess> {
  return startProcess({
    name: `cert-manager ${cluster.name}`,
    // Politely: its RSA keys take seconds of all cores, and what it shares them with runs elsewhere in production.
    command: 'nice',
    args: [
      '-n10',
      partPath('cert-manager'),
      `--kubeconfig=${cluster.kubeconfigPath}`,
      `--backoff=${options.backoffSeconds ?? 3600}`,
      `--approve=${options.approve ?? true}`,
    ],
    logFile: workspace.logFile('cert-manager'),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
}
