import type { Command, Option } from './command.ts';
import { COMMON_OPTIONS } from './command-line.ts';
import { table } from './terminal.ts';

export function generalHelp(commands: readonly Command[]): string[] {
  return [
    'Headwater: a self-hosted content service.',
    '',
    'Usage: headwater <command> [options]',
    '',
    ...commandLines(commands),
    '',
    "'headwater <command> --help' shows its options, 'headwater --version' the version. Exit codes: 0 done, 1 failed, 2 wrong usage.",
  ];
}

/** @param commands those whose first word is `word` */
export function groupHelp(word: string, commands: readonly Command[]): string[] {
  return [`Usage: headwater ${word} <command> [options]`, '', ...commandLines(commands)];
}

export function commandHelp(command: Command): string[] {
  const own = optionLines(command.options);
  return [
    `Usage: headwater ${[command.name, ...(command.arguments ?? []), ...requiredOptions(command.options)].join(' ')} [options]`,
    '',
    `${command.summary}${command.details ? `\n${command.details}` : ''}`,
    '',
    ...(own.length > 0 ? ['Options:', ...own, ''] : []),
    'Options of every command:',
    ...optionLines(COMMON_OPTIONS),
  ];
}

function requiredOptions(options: Readonly<Record<string, Option>>): string[] {
  return Object.entries(options).flatMap(([name, { value, required }]) =>
    required ? [`--${name} ${value}`] : [],
  );
}

function commandLines(commands: readonly Command[]): string[] {
  return table(commands.map(({ name, summary }) => [`  ${name}`, summary]));
}

function optionLines(options: Readonly<Record<string, Option>>): string[] {
  return table(
    Object.entries(options).map(([name, { value, about, required }]) => [
      `  --${name}${value ? ` ${value}` : ''}`,
      `${about}${required ? ' (required)' : ''}`,
    ]),
  );
}
