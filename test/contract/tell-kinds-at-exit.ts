/**
 * Loaded into a command by `node --import`: writes the kinds of all requests that the embedded API servers of that process
 * saw, one a line, to the file that `KEYTURN_KINDS_FILE` names.
 *
 * @module
 */
import { writeFileSync } from 'node:fs';
import { kindsSeenFromNowOn } from './record-kinds.ts';

const kinds = kindsSeenFromNowOn();
const file = process.env['KEYTURN_KINDS_FILE'];
// A child of the command inherits the options and has seen nothing.
process.on('exit', () => {
  if (file !== undefined && kinds.size > 0) writeFileSync(file, [...kinds].join('\n'));
});
