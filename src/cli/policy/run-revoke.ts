import { type CommandWorld, type HubFlags, withHub } from '../command-world.ts';
import { CommandFailure, EXIT, type ExitCode } from '../exit-code.ts';
import { findDomain } from '../hub/find-domain.ts';
import { observeHub } from '../hub/observe-hub.ts';
import { short, someOf } from '../table.ts';
import { changeSpec } from './change-spec.ts';
import { chooseRoot } from './choose-root.ts';
import { type RevocationEffect, whoBreaks } from './who-breaks.ts';

export interface RevokeFlags extends HubFlags {
  readonly reason?: string;
  readonly yes: boolean;
}

const UNCHANGED = 'Nothing was changed\n';

/** Writes the revocation of a root into the spec, after showing whom it cuts off. */
export function runRevoke(root: string, flags: RevokeFlags, world: CommandWorld): Promise<ExitCode> {
  return withHub(world, flags, async (hub) => {
    const { terminal, signal, clock } = world;
    const call = { signal };
    const found = await findDomain(hub, flags.domain, call);
    const { keyId, digest, isCurrent } = chooseRoot(found, root);
    const name = short(digest === '' ? keyId : digest);
    if (isCurrent) {
      throw new CommandFailure(
        `Root ${name} is the current one, and the current root cannot be revoked: ask for another with keyturn rotate --wait, then revoke this one`,
      );
    }
    if (found.spec.revoked.some(({ publicKey }) => publicKey === keyId)) {
      terminal.write(`Root ${name} was revoked already\n`);
      return EXIT.done;
    }
    const effect = whoBreaks(await observeHub(hub.client, found, clock, call), keyId);
    terminal.writeError(
      effectLines(name, effect)
        .map((line) => `${line}\n`)
        .join(''),
    );
    if (!flags.yes && !(await agreed(name, world))) {
      terminal.writeError(UNCHANGED);
      return EXIT.failed;
    }
    const { reason } = flags;
    await changeSpec(
      hub.client,
      found,
      ({ spec: { revoked }, status }) => {
        // Somebody may have put it into the root Secret while the question stood.
        if (status?.root?.keyId === keyId) {
          throw new CommandFailure(`Root ${name} has become the current one meanwhile, so it was not revoked`);
        }
        if (revoked.some(({ publicKey }) => publicKey === keyId)) return null;
        return { revoked: [...revoked, { publicKey: keyId, ...(reason === undefined ? {} : { reason }) }] };
      },
      call,
    );
    terminal.write(
      `Root ${name} is revoked: the server leaves it first, then the bundles. Follow it with keyturn status --watch\n`,
    );
    return EXIT.done;
  });
}

async function agreed(name: string, { terminal, signal }: CommandWorld): Promise<boolean> {
  if (terminal.ask === null) {
    throw new CommandFailure('Nobody can be asked here: look at who breaks, and give --yes if that is what you want');
  }
  try {
    const answer = await terminal.ask(`Revoke root ${name}? No step brings it back. Write "yes": `, signal);
    return answer?.trim().toLowerCase() === 'yes';
  } catch (error) {
    if (signal.aborted) terminal.writeError(`\n${UNCHANGED}`);
    throw error;
  }
}

function effectLines(name: string, effect: RevocationEffect): readonly string[] {
  const { presentIt, unknown, refuseServer, serverIsOfIt } = effect;
  const lines: string[] = [];
  if (serverIsOfIt) lines.push(`The gateway presents a certificate of root ${name} now and leaves it at once.`);
  if (refuseServer.length > 0) {
    lines.push(
      `${refuseServer.length} may refuse the gateway then, until the newer bundle reaches them: ${someOf(refuseServer, 20)}`,
    );
  }
  if (presentIt.length > 0) {
    lines.push(
      `${presentIt.length} may present a client certificate of it, and the gateway refuses them until they have another: ${someOf(presentIt, 20)}`,
    );
  }
  if (unknown.length > 0) lines.push(`Of ${unknown.length} it is not known what they present: ${someOf(unknown, 20)}`);
  return lines.length === 0 ? [`Nobody is known to use root ${name}: no runtime breaks.`] : lines;
}
