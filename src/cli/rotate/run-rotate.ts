import type { TrustDomain } from '../../api/trust-domain.ts';
import { type CommandWorld, type HubFlags, withHub } from '../command-world.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { findDomain } from '../hub/find-domain.ts';
import { short } from '../table.ts';
import { askForRoot } from './ask-for-root.ts';
import { findRootIssuer } from './root-issuer.ts';
import { waitForRotation } from './wait-for-rotation.ts';

export interface RotateFlags extends HubFlags {
  readonly wait: boolean;
  /** Milliseconds. */
  readonly timeout: number;
}

/** Asks for a new root and, if wanted, stays until everything is on it. */
export function runRotate(flags: RotateFlags, world: CommandWorld): Promise<ExitCode> {
  return withHub(world, flags, async (hub) => {
    const { terminal, clock, signal } = world;
    const call = { signal };
    const domain = await findDomain(hub, flags.domain, call);
    const { rootSecretRef } = domain.spec;
    const issuer = await findRootIssuer(hub.client, rootSecretRef, call);
    terminal.write(`${await askForRoot(hub.client, issuer, rootSecretRef, clock.nowMs(), call)}\n`);
    if (domain.spec.paused) {
      terminal.writeError(
        'The TrustDomain is paused: the new root enters the bundles, and nothing more happens until keyturn resume\n',
      );
    }
    if (!flags.wait) {
      terminal.writeError('Follow it with keyturn status --watch\n');
      return EXIT.done;
    }
    const end = await waitForRotation(
      { hub, domain, rootBefore: domain.status?.root?.digest, timeoutMs: flags.timeout },
      world,
    ).catch((error: unknown) => {
      if (signal.aborted) {
        terminal.writeError('The rotation goes on without this command: follow it with keyturn status --watch\n');
      }
      throw error;
    });
    if (end.settled) {
      terminal.write(`Everything is on root ${short(end.domain.status?.root?.digest)} after ${seconds(end.tookMs)}\n`);
      return EXIT.done;
    }
    terminal.writeError(`${notYet(end.domain, end.tookMs)}\n`);
    return EXIT.notYet;
  });
}

function notYet({ status, metadata }: TrustDomain, tookMs: number): string {
  return `After ${seconds(tookMs)} TrustDomain ${metadata.name} is not settled: ${status?.nextStep ?? 'it has no status'} See keyturn plan, or wait longer with --timeout`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
