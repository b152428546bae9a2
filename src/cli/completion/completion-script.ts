import type { ArgumentRow, CommandRow, OptionRow } from './command-table.ts';
import type { Shell } from './shells.ts';

/** Names that only a hub knows; asking it must neither fail loudly nor make a person wait long. */
const asksHub: Readonly<Record<string, string>> = {
  RUNTIME: "keyturn __complete explain '' 2>/dev/null | sed '/^:/d'",
};

/** A script that completes commands, options and their values; made from the commands themselves. */
export function completionScript(shell: Shell, commands: readonly CommandRow[]): string {
  switch (shell) {
    case 'bash':
      return bash(commands);
    case 'zsh':
      return zsh(commands);
    case 'fish':
      return fish(commands);
  }
}

function bash(commands: readonly CommandRow[]): string {
  const names = ['help', ...commands.map(({ name }) => name)].join(' ');
  const cases = commands.flatMap(({ name, options, arguments: [argument] }) => [
    `    ${name})`,
    `      case "$previous" in`,
    ...options
      .filter(({ value }) => value !== undefined)
      .map((option) => `        ${flagsOf(option).join('|')}) ${bashValue(option)}; return ;;`),
    `      esac`,
    `      words="${[...options.flatMap(flagsOf), '--help'].join(' ')}"`,
    ...(argument === undefined ? [] : [`      [[ $current == -* ]] || words="${wordsOf(argument)}"`]),
    `      ;;`,
  ]);
  return `${[
    '# bash completion for keyturn; made by: keyturn completion bash',
    '_keyturn() {',
    `  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words="" command="" word`,
    `  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do`,
    '    [[ $word == -* ]] || { command="$word"; break; }',
    '  done',
    '  case "$command" in',
    `    "") words="${names} --help --version" ;;`,
    ...cases,
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
    '}',
    'complete -o default -F _keyturn keyturn kubectl-keyturn',
  ].join('\n')}\n`;
}

/** What stands between `)` and `;` for an option's value. */
function bashValue({ value, choices }: OptionRow): string {
  if (choices.length > 0) return `COMPREPLY=($(compgen -W "${choices.join(' ')}" -- "$current"))`;
  return value === 'file' ? 'COMPREPLY=($(compgen -f -- "$current"))' : 'COMPREPLY=()';
}

function wordsOf({ name, choices }: ArgumentRow): string {
  const ask = asksHub[name];
  return ask === undefined ? choices.join(' ') : `$(${ask})`;
}

function zsh(commands: readonly CommandRow[]): string {
  const described = commands.map(({ name, summary }) => `    '${name}:${quoted(summary)}'`);
  const cases = commands.map(({ name, options, arguments: given }) => {
    const specs = [
      ...options.map((option) => `'${zshOption(option)}'`),
      ...given.map((argument, index) => `'${argument.many ? '*' : index + 1}:${argument.name}:${zshWords(argument)}'`),
      `'--help[show help]'`,
    ];
    return [`      ${name})`, `        _arguments ${specs.join(' \\\n          ')} ;;`].join('\n');
  });
  return `${[
    '#compdef keyturn kubectl-keyturn',
    '# zsh completion for keyturn; made by: keyturn completion zsh',
    '_keyturn() {',
    '  local -a commands',
    '  commands=(',
    ...described,
    '  )',
    '  if (( CURRENT == 2 )); then',
    "    _describe 'command' commands",
    '  else',
    `    local command="\${words[2]}"`,
    '    shift words; (( CURRENT-- ))',
    '    case "$command" in',
    ...cases,
    '    esac',
    '  fi',
    '}',
    'compdef _keyturn keyturn kubectl-keyturn',
    '# Loaded from fpath, this file stands in for the function at its first call.',
    `if [[ "\${funcstack[1]}" == _keyturn ]]; then _keyturn; fi`,
  ].join('\n')}\n`;
}

function zshOption(option: OptionRow): string {
  const { value, choices, summary } = option;
  const flags = flagsOf(option);
  const alone = flags.length > 1 ? `(${flags.join(' ')})` : '';
  const head = flags.length > 1 ? `${alone}'{${flags.join(',')}}'` : `${flags[0]}`;
  const action = choices.length > 0 ? `(${choices.join(' ')})` : value === 'file' ? '_files' : '';
  return `${head}[${quoted(summary)}]${value === undefined ? '' : `:${value}:${action}`}`;
}

function zshWords({ name, choices }: ArgumentRow): string {
  const ask = asksHub[name];
  return ask === undefined ? `(${choices.join(' ')})` : `( $(${ask.replaceAll("'", "'\\''")}) )`;
}

function fish(commands: readonly CommandRow[]): string {
  const lines = commands.flatMap(({ name, summary, options, arguments: given }) => [
    `complete -c keyturn -n __fish_use_subcommand -f -a ${name} -d '${quoted(summary)}'`,
    ...options.map((option) => `complete -c keyturn -n '__fish_seen_subcommand_from ${name}' ${fishOption(option)}`),
    ...given.flatMap((argument) => {
      const ask = asksHub[argument.name];
      const words = ask === undefined ? `'${argument.choices.join(' ')}'` : `'(${ask.replaceAll("'", "\\'")})'`;
      return ask === undefined && argument.choices.length === 0
        ? []
        : [`complete -c keyturn -n '__fish_seen_subcommand_from ${name}' -f -a ${words}`];
    }),
  ]);
  return `${['# fish completion for keyturn; made by: keyturn completion fish', ...lines].join('\n')}\n`;
}

function fishOption(option: OptionRow): string {
  const { short, long, value, choices, summary } = option;
  const names = `${short === undefined ? '' : `-s ${short.slice(1)} `}-l ${long.slice(2)}`;
  const takes =
    value === undefined
      ? ''
      : choices.length > 0
        ? ` -x -a '${choices.join(' ')}'`
        : value === 'file'
          ? ' -r -F'
          : ' -x';
  return `${names}${takes} -d '${quoted(summary)}'`;
}

function flagsOf({ short, long }: OptionRow): readonly string[] {
  return short === undefined ? [long] : [short, long];
}

/** Inside single quotes, and inside the brackets and colons of zsh. */
function quoted(text: string): string {
  return text.replaceAll("'", '’').replaceAll(/[[\]:]/g, ' ');
}
