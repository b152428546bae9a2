import { type CommandWorld, type HubFlags, withHub } from '../command-world.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { findDomain } from '../hub/find-domain.ts';
import { short } from '../table.ts';
import { changeSpec } from './change-spec.ts';
import { chooseRoot } from './choose-root.ts';

export interface TaintFlags extends HubFlags {
  readonly reason?: string;
  readonly remove: boolean;
}

/** Says in the spec that what a root signed is to be replaced first, or takes that back. */
export function runTaint(root: string, flags: TaintFlags, world: CommandWorld): Promise<ExitCode> {
  return withHub(world, flags, async (hub) => {
    const call = { signal: world.signal };
    const found = await findDomain(hub, flags.domain, call);
    const { keyId, digest, isCurrent } = chooseRoot(found, root);
    const { reason, remove } = flags;
    let wasTainted = false;
    const { changed } = await changeSpec(
      hub.client,
      found,
      ({ spec: { tainted } }) => {
        const others = tainted.filter(({ publicKey }) => publicKey !== keyId);
        if (remove) return others.length === tainted.length ? null : { tainted: others };
        const before = tainted.find(({ publicKey }) => publicKey === keyId);
        wasTainted = before !== undefined;
        if (before === undefined) {
          return { tainted: [...tainted, { publicKey: keyId, ...(reason === undefined ? {} : { reason }) }] };
        }
        if (reason === undefined || reason === before.reason) return null;
        return { tainted: tainted.map((one) => (one === before ? { ...one, reason } : one)) };
      },
      call,
    );
    const name = `Root ${short(digest === '' ? keyId : digest)}`;
    if (!changed) world.terminal.write(`${name} was ${remove ? 'not' : 'already'} tainted\n`);
    else if (remove) world.terminal.write(`${name} is no longer tainted\n`);
    else if (wasTainted) world.terminal.write(`${name} was already tainted; its reason is another now\n`);
    else if (isCurrent) {
      world.terminal.write(
        `${name} is tainted, and it is the current one: another certificate of it gains nothing. Ask for a new root with keyturn rotate; what it signed is replaced first then\n`,
      );
    } else world.terminal.write(`${name} is tainted: what it signed is replaced first\n`);
    return EXIT.done;
  });
}
