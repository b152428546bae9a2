import { join } from 'node:path';
import {
  addKubeconfig,
  addKyma,
  applyWebhook,
  istioSystem,
  kcp,
  kymaSystem,
  pathOf,
  prepareHub,
} from '../../scenarios/hub-objects.ts';
import { GATEWAY } from '../../src/api/names.ts';
import { apiVersionOf } from '../../src/kubernetes/resource.ts';
import { applyCrds, readCrds } from '../../world/crds.ts';
import type { RunningProcess } from '../../world/process.ts';
import { projectRoot } from '../../world/project-root.ts';
import { type ApiServer, type ApiServers, startApiServers } from '../../world/real/api-servers.ts';
import { installCertManagerCrds, startCertManager } from '../../world/real/cert-manager.ts';
import { installIstioCrds } from '../../world/real/istiod.ts';
import { openWorkspace, type Workspace } from '../../world/workspace.ts';
import { auditPolicy } from './audit-log.ts';

/** A hub with cert-manager, and runtimes that belong to its fleet. Each API server keeps an audit log. */
export interface AuditedFleet {
  readonly hub: ApiServer;
  readonly runtimes: readonly ApiServer[];
  readonly workspace: Workspace;
  stop(outcome: { readonly failed: boolean }): Promise<void>;
}

/** No gateway runs: of what the operator asks it, only the look for its pods would be seen by an API server. */
export async function startAuditedFleet(size: number, signal: AbortSignal): Promise<AuditedFleet> {
  const workspace = await openWorkspace();
  let servers: ApiServers | undefined;
  let certManager: RunningProcess | undefined;
  const stop: AuditedFleet['stop'] = async ({ failed }) => {
    await certManager?.stop();
    await servers?.stop();
    const logs = await workspace.close({ keepLogs: failed });
    if (logs !== undefined) console.error(`Logs: ${logs}`);
  };
  try {
    servers = await startApiServers(workspace, signal, { auditPolicy });
    const [hub, ...runtimes] = await startAll(
      servers,
      ['hub', ...Array.from({ length: size }, (_, index) => `runtime-${index + 1}`)],
      signal,
    );
    if (hub === undefined) throw new Error('No hub was started');
    await makeHub(hub, signal);
    certManager = await startCertManager(hub, workspace, { signal });
    for (const runtime of runtimes) {
      await createNamespace(runtime, kymaSystem, signal);
      await applyWebhook(runtime, signal);
      await addKubeconfig(hub, runtime, signal);
      await addKyma(hub, runtime.name, signal);
    }
    return { hub, runtimes, workspace, stop };
  } catch (error) {
    await stop({ failed: !signal.aborted });
    throw error;
  }
}

/** Waits for all before it throws: a server that is still starting must be known before all are stopped. */
async function startAll(servers: ApiServers, names: readonly string[], signal: AbortSignal): Promise<ApiServer[]> {
  const starts = await Promise.allSettled(names.map((name) => servers.start(name, signal)));
  return starts.map((start) => {
    if (start.status === 'rejected') throw start.reason;
    return start.value;
  });
}

async function makeHub(hub: ApiServer, signal: AbortSignal): Promise<void> {
  for (const namespace of [istioSystem, kcp]) await createNamespace(hub, namespace, signal);
  await Promise.all([
    readCrds([join(projectRoot, 'world/manifests/kyma-crd.yaml')]).then((crds) => applyCrds(hub.client, crds, signal)),
    installCertManagerCrds(hub, signal),
    installIstioCrds(hub, signal),
  ]);
  await prepareHub(hub, signal);
  const gateway = {
    apiVersion: apiVersionOf(GATEWAY),
    kind: GATEWAY.kind,
    metadata: { name: 'klm-watcher', namespace: kcp },
    spec: {
      selector: { istio: 'ingressgateway' },
      servers: [
        {
          hosts: ['listener.kyma.local'],
          port: { number: 443, name: 'https', protocol: 'HTTPS' },
          tls: { mode: 'MUTUAL', credentialName: 'klm-istio-gateway' },
        },
      ],
    },
  };
  await hub.client.apply(pathOf(GATEWAY, kcp, 'klm-watcher'), gateway, signal);
}

async function createNamespace({ client }: ApiServer, name: string, signal: AbortSignal): Promise<void> {
  await client.apply(`/api/v1/namespaces/${name}`, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, signal);
}
