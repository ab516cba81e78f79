import type { Command, Option } from './command.ts';
import { COMMON_OPTIONS } from './command-line.ts';
import { table } from './terminal.ts';

export function generalHelp(commands: readonly Command[]): string[] {
  return [
    'Headwater: a self-hosted content service.',
    '',
    'Usage: headwater <command> [options]',
    '',
    ...table(commands.map(({ name, summary }) => [`  ${name}`, summary])),
    '',
    "'headwater <command> --help' shows its options, 'headwater --version' the version. Exit codes: 0 done, 1 failed, 2 wrong usage.",
  ];
}

export function commandHelp(command: Command): string[] {
  const own = optionLines(command.options);
  return [
    `Usage: headwater ${[command.name, ...(command.arguments ?? [])].join(' ')} [options]`,
    '',
    `${command.summary}${command.details ? `\n${command.details}` : ''}`,
    '',
    ...(own.length > 0 ? ['Options:', ...own, ''] : []),
    'Options of every command:',
    ...optionLines(COMMON_OPTIONS),
  ];
}

function optionLines(options: Readonly<Record<string, Option>>): string[] {
  return table(
    Object.entries(options).map(([name, { value, about, required }]) => [
      `  --${name}${value ? ` ${value}` : ''}`,
      `${about}${required ? ' (required)' : ''}`,
    ]),
  );
}
