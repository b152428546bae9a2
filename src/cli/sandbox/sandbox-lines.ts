import type { Outcome } from '../../checker/outcome.ts';
import type { SandboxView } from '../../sandbox/sandbox.ts';
import type { Paint } from '../screen.ts';
import { counted, wrapped } from '../table.ts';

export const KEYS_LINE =
  'r rotate   p pause   u unplug a runtime   g restart the gateway   k kill the operator   q quit';

const indent = '          ';

/** What a person sees of the fleet, anew each time. */
export function viewLines(view: SandboxView, paint: Paint, columns: number): readonly string[] {
  const status = view.domain?.status;
  const { total = 0, current = 0, bundle = 0, proven = 0 } = status?.runtimes ?? {};
  const of = (count: number): string => paint(count === total && total > 0 ? 'green' : 'yellow', `${count}/${total}`);
  const roots = (status?.bundle ?? []).map(
    ({ digest, trusted }) => `${short(digest)}${trusted ? '' : ' (not proven)'}`,
  );
  const candidate = status?.candidate;
  return [
    `${paint('bold', 'root')}      ${short(status?.root?.digest)}${view.domain?.spec.paused === true ? paint('yellow', '   paused') : ''}`,
    `${paint('bold', 'runtimes')}  bundle ${of(bundle)}   pair of the root ${of(current)}   proven ${of(proven)}${view.unplugged.length === 0 ? '' : paint('yellow', `   unplugged: ${view.unplugged.join(', ')}`)}`,
    `${paint('bold', 'gateway')}   bundle ${roots.join(', ') || 'none yet'}`,
    `${indent}certificate ${short(status?.server?.digest)}${candidate === undefined ? '' : `, next ${short(candidate.digest)}${waiting(candidate.waitsFor, candidate.waitsForCount)}`}`,
    `${paint('bold', 'requests')}  ${view.requests} (${view.perSecond}/s)   ${paint(view.failed === 0 ? 'green' : 'red', `${view.failed} failed`)}`,
    ...wrapped(status?.nextStep ?? 'The operator is starting', columns - indent.length).map(
      (line, index) => `${index === 0 ? `${paint('bold', 'next')}      ` : indent}${paint('cyan', line)}`,
    ),
  ];
}

/** A few names fit into the line; of more their number says enough. */
function waiting(names: readonly string[], count: number): string {
  if (count === 0) return '';
  return `, which waits for ${count <= 3 ? names.join(', ') : `${count} runtimes`}`;
}

/** The same as one sentence, for a pipe. */
export function viewSentence({ domain, requests, failed }: SandboxView): string {
  const { total = 0, current = 0, bundle = 0 } = domain?.status?.runtimes ?? {};
  return `${bundle} of ${total} runtimes hold the bundle, ${current} a pair of the root ${short(domain?.status?.root?.digest)}; ${requests} requests, ${failed} failed`;
}

export function summaryLines(outcome: Outcome, paint: Paint): readonly string[] {
  const { ok, requests, failed, violations, rotations, seconds } = outcome;
  return [
    ...outcome.problems.map((problem) => paint('red', `Did not hold: ${problem}`)),
    paint(
      ok ? 'green' : 'red',
      `${ok ? 'All held' : 'Not all held'}: ${counted(rotations, 'rotation')} in ${Math.round(seconds)} s, ${counted(requests, 'request')}, ${failed} failed, ${counted(violations, 'violation')} of what must always hold`,
    ),
  ];
}

function short(digest: string | undefined): string {
  return digest === undefined ? 'none yet' : digest.slice(0, 8);
}
