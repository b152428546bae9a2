import { parseArgs } from 'node:util';
import { buildPartsFirst } from '../scenarios/parts-first.ts';
import { sayWithSeconds } from '../scenarios/say.ts';
import { stoppedBySignals } from '../scenarios/stop-on-signal.ts';
import { benchApiServer } from './api-server/bench-api-server.ts';
import { benchCi } from './ci/bench-ci.ts';
import { benchDecide } from './decide/bench-decide.ts';
import { benchParsing } from './decide/bench-parsing.ts';
import { startAuditedFleet } from './requests/audited-fleet.ts';
import { benchRequests } from './requests/bench-requests.ts';
import {
  apiServerRows,
  ciRows,
  decideRows,
  holds,
  type PartName,
  parsingRows,
  partNames,
  type Row,
  restRows,
  rotationRows,
  sandboxRows,
  table,
  transportRows,
  usualParts,
} from './rows.ts';
import { benchSandbox } from './sandbox/bench-sandbox.ts';
import { benchTransport } from './transport/bench-transport.ts';

/**
 * `npm run bench [-- --only PART]... [--runtimes N] [--certificates N] [--rest-seconds N] [--revision REV]... [-o json]`. Prints a table; its last
 * line is one JSON object. With `-o json` that line alone goes to standard output. A bound that is missed is named and is no
 * failure: times say as much of the machine as of the program.
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [...usualParts] },
    runtimes: { type: 'string', default: '10000' },
    // By the thousand a certificate costs the same, and ten thousand of them half a minute only to make.
    certificates: { type: 'string', default: '2000' },
    'rest-seconds': { type: 'string', default: '60' },
    // Git revisions for `--only ci`, such as the one before a change and the one after it.
    revision: { type: 'string', multiple: true, default: ['HEAD'] },
    output: { type: 'string', short: 'o', default: 'table' },
  },
});

function whole(option: 'runtimes' | 'certificates' | 'rest-seconds'): number {
  const number = Number(values[option]);
  if (!Number.isInteger(number) || number < 1)
    throw new Error(`Option --${option} takes a whole number from 1, not "${values[option]}"`);
  return number;
}

async function main(signal: AbortSignal): Promise<void> {
  const json = values.output === 'json';
  if (!json && values.output !== 'table') throw new Error('Option -o takes json or table');
  const unknown = values.only.find((name) => !(partNames as readonly string[]).includes(name));
  if (unknown !== undefined) throw new Error(`There is no part ${unknown}: there are ${partNames.join(', ')}`);
  const wants = (part: PartName): boolean => values.only.includes(part);
  const [runtimes, certificates, restSeconds] = [whole('runtimes'), whole('certificates'), whole('rest-seconds')];
  const say = sayWithSeconds((line) => (json ? console.error(line) : console.log(line)));
  const beganMs = performance.now();
  const figures: Record<string, unknown> = {};
  const rows: Row[] = [];

  // Before anything else runs in this process, so that the first decision is one of code that is not compiled yet.
  if (wants('decide')) {
    say(`Deciding for ${runtimes} runtimes`);
    const decide = benchDecide({ runtimes });
    figures['decide'] = decide;
    rows.push(...decideRows(decide));
  }
  if (wants('parsing')) {
    say(`Making and parsing ${certificates} client certificates`);
    const parsing = await benchParsing(certificates);
    figures['parsing'] = parsing;
    rows.push(...parsingRows(parsing));
  }
  signal.throwIfAborted();
  if (wants('sandbox')) {
    say('Running the sandbox, three times');
    const sandbox = await benchSandbox(signal);
    figures['sandbox'] = sandbox;
    rows.push(...sandboxRows(sandbox));
  }
  if (wants('api-server')) {
    await buildPartsFirst(say, signal, ['etcd', 'kube-apiserver']);
    say('Loading an embedded API server, then a real one');
    const servers = await benchApiServer(signal);
    figures['apiServer'] = servers;
    rows.push(...apiServerRows(servers));
  }
  if (wants('requests') || wants('rest') || wants('transport')) {
    await buildPartsFirst(say, signal);
    say('Starting a hub with cert-manager and 3 runtimes');
    const fleet = await startAuditedFleet(3, signal);
    let failed = true;
    try {
      if (wants('requests') || wants('rest')) {
        const restMs = wants('rest') ? restSeconds * 1_000 : null;
        const counted = await benchRequests(fleet, { rotation: wants('requests'), restMs, say, signal });
        Object.assign(figures, { requests: counted.rotation, rest: counted.rest });
        if (counted.rotation !== null) rows.push(...rotationRows(counted.rotation));
        if (counted.rest !== null) rows.push(...restRows(counted.rest));
      }
      if (wants('transport')) {
        say('Measuring the transport beside the official client');
        const transport = await benchTransport(fleet.hub.kubeconfig);
        figures['transport'] = transport.rows;
        rows.push(...transportRows(transport.rows));
      }
      failed = false;
    } finally {
      await fleet.stop({ failed: failed && !signal.aborted });
    }
  }

  if (wants('ci')) {
    say(`Running .ci/run of ${values.revision.join(', ')}`);
    const runs = await benchCi(values.revision, signal);
    figures['ci'] = runs;
    rows.push(...ciRows(runs));
  }

  if (!json) console.log(`\n${table(rows)}\n`);
  const missed = rows.filter((row) => holds(row) === false).map(({ part, what }) => `${part}: ${what}`);
  const seconds = Math.round((performance.now() - beganMs) / 1_000);
  console.log(JSON.stringify({ bench: values.only, seconds, missed, rows, figures }));
}

await stoppedBySignals(main);
