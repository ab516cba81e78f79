/** Parses the words of a command line. */
import { parseArgs } from 'node:util';
import { didYouMean } from '../../config/did-you-mean.ts';
import type { Flag } from '../../config/read-layers.ts';
import { type Call, type Command, type Option, UsageError } from './command.ts';

/** Settings with an option of their own; `--set path=value` is for all others. */
const SETTING_OPTIONS: Readonly<Record<string, Option & { readonly path: string }>> = {
  'data-dir': { path: 'dataDir', value: 'FOLDER', about: 'data folder' },
  host: { path: 'host', value: 'ADDRESS', about: 'address to listen on' },
  port: { path: 'port', value: 'NUMBER', about: 'port for plain HTTP' },
  'tls-port': { path: 'tlsPort', value: 'NUMBER', about: 'port for HTTPS; 0 = none' },
};

export const COMMON_OPTIONS: Readonly<Record<string, Option>> = {
  config: { value: 'FOLDER', about: "folder with the operator's files (else HEADWATER_CONFIG)" },
  ...SETTING_OPTIONS,
  set: {
    value: 'PATH=VALUE',
    about:
      'any setting, for example plugins.cors.origins=https://a.example; two different options may not give the same one',
  },
  help: { about: 'this text' },
};

/** The commands whose first word is `word`, like `project create` and `project list`. */
export function commandGroup(commands: readonly Command[], word: string | undefined): Command[] {
  return commands.filter((command) => command.name.startsWith(`${word} `));
}

/** @throws UsageError when no command has these words */
export function findCommand(commands: readonly Command[], words: readonly string[]): Command {
  const plain = words.filter((word) => !word.startsWith('-'));
  for (const length of [2, 1]) {
    const name = plain.slice(0, length).join(' ');
    const found = commands.find((command) => command.name === name);
    if (found && plain.length >= length) return found;
  }
  if (words[0]?.startsWith('-'))
    throw new UsageError('Options come after the command: headwater <command> [options].');
  const given = plain.slice(0, 2).join(' ');
  const group = commandGroup(commands, plain[0]);
  if (group.length > 0) {
    throw new UsageError(`Say which: ${group.map((command) => command.name).join(', ')}.`);
  }
  const names = commands.map(({ name }) => name);
  const near =
    didYouMean(given, names) ??
    didYouMean(plain[0] ?? '', [...names, ...names.map((name) => name.split(' ')[0]!)]);
  throw new UsageError(`There is no command '${given}'.${near ? ` Did you mean '${near}'?` : ''}`);
}

/** @param words with the name of the command */
export function parseCall(
  command: Command,
  words: readonly string[],
  context: Pick<
    Call,
    | 'environment'
    | 'terminal'
    | 'runnerFor'
    | 'operations'
    | 'service'
    | 'cancellation'
    | 'signals'
    | 'folder'
  >,
): Call {
  const known = { ...COMMON_OPTIONS, ...command.options };
  const { values, positionals } = parse(words, known);
  const wanted = command.arguments ?? [];
  const given = positionals.slice(command.name.split(' ').length);
  const missing = Object.entries(command.options).find(
    ([name, { required }]) => required && values[name] === undefined,
  )?.[0];
  const surplus = given[wanted.length];
  if (surplus !== undefined)
    throw new UsageError(
      `'${surplus}' is one word too many.${missing ? ` Did you mean '--${missing} ${surplus}'?` : ''}`,
    );
  if (given.length < wanted.length) throw new UsageError(`${wanted[given.length]} is missing.`);

  const options: Record<string, string | undefined> = {};
  const switches = new Set<string>();
  for (const name of Object.keys(command.options)) {
    const value = values[name];
    if (typeof value === 'string') options[name] = value;
    if (value === true) switches.add(name);
  }
  if (missing !== undefined) throw new UsageError(`--${missing} is missing.`);
  const config = values['config'];
  if (config === '') throw new UsageError('--config is empty.');
  return {
    command: command.name,
    arguments: given,
    options,
    switches,
    flags: settingFlags(values),
    configFolder: typeof config === 'string' ? config : context.environment['HEADWATER_CONFIG'] || undefined,
    ...context,
  };
}

type Values = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;

function parse(
  words: readonly string[],
  known: Readonly<Record<string, Option>>,
): { values: Values; positionals: string[] } {
  const options = Object.fromEntries(
    Object.entries(known).map(([name, option]) => [
      name,
      { type: option.value ? ('string' as const) : ('boolean' as const), multiple: name === 'set' },
    ]),
  );
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true, strict: true });
  } catch (error) {
    const code = (error as { code?: string }).code;
    if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
      const given = /'--?([^'=]+)/.exec((error as Error).message)?.[1] ?? '';
      const near = didYouMean(given, Object.keys(known));
      throw new UsageError(
        `There is no option '--${given}' here.${near ? ` Did you mean '--${near}'?` : ''}`,
      );
    }
    if (code?.startsWith('ERR_PARSE_ARGS_'))
      throw new UsageError((error as Error).message.split('. ')[0] ?? '');
    throw error;
  }
}

function settingFlags(values: Values): Flag[] {
  const flags: Flag[] = [];
  for (const [name, { path }] of Object.entries(SETTING_OPTIONS)) {
    const text = values[name];
    if (typeof text === 'string') flags.push({ name: `--${name}`, path, text });
  }
  const sets = values['set'];
  for (const entry of Array.isArray(sets) ? sets : []) {
    const [, path, text] = /^([^=]+)=(.*)$/s.exec(String(entry)) ?? [];
    if (path === undefined || text === undefined)
      throw new UsageError(`--set needs PATH=VALUE, not '${entry}'.`);
    flags.push({ name: `--set ${path}`, path, text });
  }
  return flags;
}
