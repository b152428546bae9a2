import { type ClusterClient, ClusterError } from '../../world/cluster-client.ts';
import { certificatesPath } from '../hub-objects.ts';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly [field: string]: unknown;
}

/** Has cert-manager issue anew what a Certificate asks for, by the condition that it sets itself when one nears its end. */
export async function setIssuing(client: ClusterClient, name: string, signal: AbortSignal): Promise<void> {
  const path = `${certificatesPath}/${name}`;
  for (;;) {
    const certificate = await client.send('GET', path, { signal });
    const status = (certificate['status'] ?? {}) as { readonly conditions?: readonly Condition[] };
    const others = (status.conditions ?? []).filter(({ type }) => type !== 'Issuing');
    const issuing = {
      type: 'Issuing',
      status: 'True',
      reason: 'ManuallyTriggered',
      message: 'Renewed by the scenario',
      lastTransitionTime: new Date().toISOString(),
      observedGeneration: (certificate.metadata as { readonly generation?: number } | undefined)?.generation ?? 0,
    };
    const body = { ...certificate, status: { ...status, conditions: [...others, issuing] } };
    try {
      await client.send('PUT', `${path}/status`, { body, signal });
      return;
    } catch (error) {
      // Conditional on what was read: cert-manager writes the same conditions.
      if (!(error instanceof ClusterError) || error.status !== 409) throw error;
    }
  }
}
