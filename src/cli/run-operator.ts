import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { runOperator } from '../operator.ts';
import { packageVersion } from '../telemetry/version.ts';
import { CommandFailure } from './exit-code.ts';
import type { RunOperator } from './operator-command.ts';

const LEASE_NAME = 'keyturn';

/** Runs the operator in this process. */
export const runOperatorHere: RunOperator = async (operator, signal) => {
  const { hub, namespace, metricsAddress, lease, log } = operator;
  // In a cluster the host name is the pod's name; two processes of one host must differ as well.
  const identity = `${hostname()}_${randomBytes(4).toString('hex')}`;
  const end = await runOperator(
    {
      hub,
      namespace,
      metricsAddress,
      leaderElection: lease === null ? null : { namespace, name: LEASE_NAME, ...lease },
      identity,
      version: packageVersion(),
      log,
      onListening: (url) => log.info('Serving metrics and health', { url }),
    },
    signal,
  );
  if (end === 'lost') throw new CommandFailure('Another replica took the Lease: start again to stand by');
};
