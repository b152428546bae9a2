import { appendFileSync } from 'node:fs';
import { kcp, operatorKubeconfig } from '../../scenarios/hub-objects.ts';
import { parseKubeconfig } from '../../src/kubernetes/kubeconfig.ts';
import { runOperator } from '../../src/operator.ts';
import { createLog } from '../../src/telemetry/log.ts';
import type { AuditedFleet } from './audited-fleet.ts';

/** Runs the operator as one of several replicas, with its published rights and no others. @returns stops it */
export async function startOperatorOn(
  { hub, workspace }: AuditedFleet,
  signal: AbortSignal,
): Promise<() => Promise<void>> {
  const stopping = new AbortController();
  const file = workspace.logFile('operator');
  const running = runOperator(
    {
      hub: parseKubeconfig(await operatorKubeconfig(hub, signal)),
      identity: 'bench',
      leaderElection: { namespace: kcp, name: 'keyturn' },
      log: createLog({ destination: { write: (line) => appendFileSync(file, line) } }),
    },
    AbortSignal.any([signal, stopping.signal]),
  );
  // Whoever stops it is told; until then a fault must not end the process.
  running.catch(() => undefined);
  return async () => {
    stopping.abort(new Error('The bench has counted enough'));
    await running;
  };
}
