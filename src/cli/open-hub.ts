import { DEFAULT_NAMESPACE } from '../api/names.ts';
import { createKubeClient } from '../kubernetes/client.ts';
import { packageVersion } from '../telemetry/version.ts';
import type { Hub, HubFlags } from './command-world.ts';
import { hubConfig } from './hub-config.ts';

/** Connections for ordinary requests: a fleet's lists go side by side, and a person's laptop stays polite. */
const connections = 8;

/** The hub that the command line names. No request is made yet. */
export function openHub({ kubeconfig, context, namespace }: HubFlags): Promise<Hub> {
  const config = hubConfig({
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(context === undefined ? {} : { context }),
  });
  const client = createKubeClient(config, { connections, userAgent: `keyturn-command/${packageVersion()}` });
  return Promise.resolve({
    client,
    namespace: namespace ?? config.namespace ?? DEFAULT_NAMESPACE,
    close: () => client.close(),
  });
}
