import type { Command } from 'commander';

/** One option of a command. */
export interface OptionRow {
  /** `-o`, where it has one. */
  readonly short: string | undefined;
  /** `--output` */
  readonly long: string;
  /** Name of its value; `undefined` where it takes none. */
  readonly value: string | undefined;
  readonly choices: readonly string[];
  readonly summary: string;
  /** As a text, where there is one that is worth naming. */
  readonly byDefault: string | undefined;
}

export interface ArgumentRow {
  readonly name: string;
  readonly required: boolean;
  readonly many: boolean;
  readonly choices: readonly string[];
  readonly summary: string;
}

export interface CommandRow {
  readonly name: string;
  readonly summary: string;
  readonly arguments: readonly ArgumentRow[];
  readonly options: readonly OptionRow[];
}

/** Every command as a row: what completion and the reference are made from. */
export function commandTable(program: Command): readonly CommandRow[] {
  return program.commands.map((command) => ({
    name: command.name(),
    summary: command.description(),
    arguments: command.registeredArguments.map((argument) => ({
      name: argument.name(),
      required: argument.required,
      many: argument.variadic,
      choices: argument.argChoices ?? [],
      summary: argument.description,
    })),
    options: command.options.map((option) => ({
      short: option.short,
      long: option.long ?? '',
      value: /<(.+)>/.exec(option.flags)?.[1],
      choices: option.argChoices ?? [],
      summary: option.description,
      byDefault:
        option.defaultValue === undefined || option.defaultValue === false
          ? undefined
          : (option.defaultValueDescription ?? String(option.defaultValue)),
    })),
  }));
}
