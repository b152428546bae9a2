import { code, page, table } from '../api/reference.ts';
import { type CommandRow, commandTable, type OptionRow } from './completion/command-table.ts';
import { EXIT, EXIT_MEANINGS } from './exit-code.ts';
import { programOf } from './program.ts';

/** docs/reference/command.md */
export function commandPage(): string {
  const nothing = (): void => undefined;
  const parts = {
    loadOperator: () => Promise.reject(new Error('Nothing runs here')),
    write: nothing,
    writeError: nothing,
  };
  const commands = commandTable(programOf(parts, () => Promise.resolve()));
  const intro = `${code('keyturn COMMAND')}, or ${code('kubectl keyturn COMMAND')} where ${code('kubectl-keyturn')} is on the path. Results go to standard output, everything else to standard error. Durations are texts such as ${code('30s')} or ${code('10m')}.`;
  return page('Command', intro, exitCodes(), outputs(), completion(), ...commands.map(commandSection), notes());
}

function exitCodes(): string {
  const rows = Object.entries(EXIT).map(([word, number]) => [
    code(String(number)),
    EXIT_MEANINGS[word as keyof typeof EXIT],
  ]);
  const interrupted = [code('130'), 'It was stopped by SIGINT or SIGTERM before it had come to its end.'];
  const closed = [code('141'), 'Whoever read its results closed the pipe, as `head` does.'];
  return `## Exit codes\n\nStable, so that scripts may rely on them.\n\n${table(['Code', 'Meaning'], [...rows, interrupted, closed])}\n\n${code('status --watch')} has no end of its own: stopped by a person it ends with ${code('0')}. So does ${code('sandbox')} by the key ${code('q')} or Ctrl-C at a terminal, if nothing failed until then. Where a question of ${code('revoke')} stands, Ctrl-C is a stop and Ctrl-D a no.`;
}

function outputs(): string {
  const rows = [
    ['table', 'for people; may change'],
    ['wide', 'the same with more columns, and no list cut short'],
    ['json', 'one document; field names are stable. With `--watch` one line per change'],
    ['yaml', 'the same as YAML'],
    ['name', 'kind and name, one per line'],
  ];
  return `## Output\n\n${table(
    ['`-o`', 'What comes'],
    rows.map(([format = '', what = '']) => [code(format), what]),
  )}\n\nColour and lines that are drawn anew appear on a terminal only, and colour never with ${code('NO_COLOR')} set. No output holds a private key, a token or a kubeconfig.`;
}

function completion(): string {
  const shells = [
    ['bash', 'source <(keyturn completion bash)'],
    ['zsh', 'source <(keyturn completion zsh)'],
    ['fish', 'keyturn completion fish | source'],
  ].map(([shell = '', line = '']) => [shell, code(line)]);
  return `## Completion\n\n${table(['Shell', 'In its start-up file'], shells)}\n\nNames of runtimes are asked of the hub, for two seconds at most. For ${code('kubectl keyturn')} kubectl's own completion (from 1.26 on) asks ${code('kubectl_complete-keyturn')}, which has to be on the path like ${code('kubectl-keyturn')}; the package brings both.`;
}

function commandSection({ name, summary, arguments: given, options }: CommandRow): string {
  const usage = given.map(({ name: argument, required, many }) => {
    const word = `${argument}${many ? '...' : ''}`;
    return required ? ` ${word}` : ` [${word}]`;
  });
  const named = given.map((argument) => [
    code(argument.name),
    argument.choices.length > 0 ? argument.choices.map(code).join(' or ') : '',
    argument.summary,
  ]);
  const rows = options.map((option) => [flags(option), defaults(option), option.summary]);
  return [
    `## keyturn ${name}`,
    code(`keyturn ${name}${usage.join('')}`),
    summary,
    table(['Argument or option', 'Default or choices', 'Meaning'], [...named, ...rows]),
  ].join('\n\n');
}

function flags({ short, long, value }: OptionRow): string {
  return code(
    `${short === undefined ? '' : `${short}, `}${long}${value === undefined ? '' : ` ${value.toUpperCase()}`}`,
  );
}

function defaults({ choices, byDefault }: OptionRow): string {
  if (choices.length === 0) return byDefault === undefined ? '' : code(byDefault);
  return choices.map((choice) => (choice === byDefault ? `${code(choice)} (default)` : code(choice))).join(' or ');
}

/** What a table of options cannot say. */
function notes(): string {
  return [
    '## What the commands see and do',
    '`status` and `explain` read `TrustDomain`s, `RuntimeTrust`s and, where that is allowed, Certificates: no Secret.',
    '`plan` reads what the operator reads, root Secret included (its key is looked at only to see that it fits), with the code of the operator, and asks the decisions of the operator what comes next. It contacts every runtime unless `--hub-only` is given. Delays that the operator has been counting are taken as passed; what it still waits for stands in the records. For “a new root now” it plays those decisions through on a clock of their own: delays, margins, the wait for the API servers of a runtime to use a new `caBundle`, and the issuer take their time there, while writes take none. With `--hub-only` every runtime is taken to have a webhook configuration. The rate of the issuer is that of the last run of CertificateRequests, or of the starts of Certificates.',
    '`rotate` asks whoever fills the root Secret: a cert-manager Certificate by its condition `Issuing`, a Gardener Certificate by `spec.renew`. Where nobody is known it says what to do by hand.',
    '`pause`, `resume`, `taint` and `revoke` change one field of the spec of the `TrustDomain`, on condition that nobody has changed it since it was read. `revoke` is refused for the current root, shows who breaks now and asks; where nobody can be asked it does nothing without `--yes`.',
    '`verify` reads the gateway Secret, and each runtime’s Secret and webhook configuration with the kubeconfig from the hub, and has S1 to S3 judged by the checker of the scenarios, which shares no code with the operator. It sees what stands in Secrets, not what a process has loaded: with `--for` a value counts as still in use for `spec.proof.propagationDelay`, less two seconds, after it was replaced; endpoints of the gateway are taken to use what their Secret says. Where the kubeconfig of a runtime allows no watch, it is read every second.',
  ].join('\n\n');
}
