import { type CommandWorld, type HubFlags, withHub } from '../command-world.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { findDomain } from '../hub/find-domain.ts';
import { changeSpec } from './change-spec.ts';

/** Sets or clears `spec.paused`. */
export function runPause(paused: boolean, flags: HubFlags, world: CommandWorld): Promise<ExitCode> {
  return withHub(world, flags, async (hub) => {
    const call = { signal: world.signal };
    const found = await findDomain(hub, flags.domain, call);
    const { changed } = await changeSpec(
      hub.client,
      found,
      ({ spec }) => (spec.paused === paused ? null : { paused }),
      call,
    );
    const name = `TrustDomain ${found.metadata.name}`;
    const said = paused
      ? `${name} is paused: no switch, no retirement and no re-issue. New roots still enter the bundle, and bundles are delivered. Go on with keyturn resume`
      : `${name} goes on`;
    world.terminal.write(`${changed ? said : `${name} ${paused ? 'was paused already' : 'was not paused'}`}\n`);
    return EXIT.done;
  });
}
