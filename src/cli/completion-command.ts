import { Argument, Command } from 'commander';
import { SHELLS, type Shell } from './completion/shells.ts';

/** @param program every command there is, asked when a script is printed */
export function completionCommand(program: Command, write: (text: string) => void): Command {
  return new Command('completion')
    .description('Prints a completion script for a shell; source it, or put it where the shell looks.')
    .addArgument(new Argument('<SHELL>', 'which shell').choices([...SHELLS]))
    .addHelpText(
      'after',
      [
        '',
        'bash   source <(keyturn completion bash)',
        'zsh    source <(keyturn completion zsh)',
        'fish   keyturn completion fish | source',
        '',
        'For kubectl keyturn its own completion asks kubectl_complete-keyturn, which has to be on the path.',
      ].join('\n'),
    )
    .action(async (shell: Shell) => {
      const { completionScript } = await import('./completion/completion-script.ts');
      const { commandTable } = await import('./completion/command-table.ts');
      write(completionScript(shell, commandTable(program)));
    });
}
