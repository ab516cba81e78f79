/** The command line: finds the command, runs it, and turns errors into an exit code. */
import { setImmediate } from 'node:timers/promises';
import { programVersion } from '../../config/program-version.ts';
import type { Services } from '../../core/http/services.ts';
import { type Call, type Command, type ServiceControls, UsageError } from './command.ts';
import { commandGroup, findCommand, parseCall } from './command-line.ts';
import { commands } from './commands/command-list.ts';
import { configure, warningLine } from './configure.ts';
import { failureSentence } from './failure.ts';
import { commandHelp, generalHelp, groupHelp } from './help.ts';
import { interruption } from './interruption.ts';
import { forwardCommand, type RunCommand } from './owner-socket.ts';
import { openTerminal, type Terminal } from './terminal.ts';

/**
 * @param words the command line after `headwater`
 * @returns the exit code: 0 done, 1 failed, 2 wrong usage
 */
export async function main(words: readonly string[]): Promise<number> {
  // Only the user may read what a command writes below the data folder, also in a folder that existed before.
  process.umask(0o077);
  let lost: NodeJS.ErrnoException | undefined;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A closed pipe (`headwater explain | head`) is no error.
    if (error.code !== 'EPIPE') lost ??= error;
  });
  // There is no other place for a message.
  process.stderr.on('error', () => {});
  const terminal = openTerminal(process.stdout, process.stderr);
  const code = await runWords(words, {
    environment: process.env,
    terminal,
    folder: process.cwd(),
    cancellation: () => interruption(terminal),
  });
  // Errors of a stream are reported a turn later.
  await setImmediate();
  // The banner of a service is no result.
  if (lost === undefined || words[0] === 'serve') return code;
  terminal.err(`headwater: The result could not be written: ${lost.code}.`);
  return 1;
}

/** Runs a command line, forwarded to the owner of its data folder where that has to run it. */
export async function runWords(
  words: readonly string[],
  context: Pick<Call, 'environment' | 'terminal' | 'folder' | 'cancellation' | 'signals'>,
): Promise<number> {
  const { terminal } = context;
  if (words[0] === '--version') {
    terminal.out(programVersion());
    return 0;
  }
  const asksForHelp = words.includes('--help') || words.includes('-h') || words[0] === 'help';
  const rest = words.filter((word) => word !== '--help' && word !== '-h').slice(words[0] === 'help' ? 1 : 0);
  if (rest.length === 0) {
    for (const line of generalHelp(commands)) (asksForHelp ? terminal.out : terminal.err)(line);
    return asksForHelp ? 0 : 2;
  }
  const [word] = rest;
  const group = rest.length === 1 ? commandGroup(commands, word) : [];
  if (asksForHelp && word !== undefined && group.length > 0) {
    for (const line of groupHelp(word, group)) terminal.out(line);
    return 0;
  }
  let command: Command | undefined;
  try {
    command = findCommand(commands, rest);
    if (asksForHelp) {
      for (const line of commandHelp(command)) terminal.out(line);
      return 0;
    }
    const call = parseCall(command, rest, { ...context, runnerFor });
    return (await runInOwner(command, call, rest)) ?? (await command.run(call));
  } catch (error) {
    return exitCodeOf(error, command, terminal);
  }
}

/** Undefined where this process has to run the command. */
async function runInOwner(
  command: Command,
  call: Call,
  words: readonly string[],
): Promise<number | undefined> {
  if (!command.onData) return undefined;
  const { settings, warnings } = (await configure(call)).config;
  const { terminal, folder } = call;
  // A reload warns of what is in the files again.
  const printed = new Set(warnings.map(warningLine));
  const err = (line: string) => {
    if (!printed.has(line)) terminal.err(line);
  };
  return forwardCommand(settings.dataDir, words, { ...terminal, err }, folder);
}

/** Runs commands inside the process that owns the data folder. */
function runnerFor(service: ServiceControls, operations?: Services): RunCommand {
  return async (words, terminal, signal, folder) => {
    let command: Command | undefined;
    try {
      command = findCommand(commands, words);
      if (!command.onData) throw new UsageError(`'${command.name}' does not work on the data.`);
      const owned = operations && { operations };
      const cancellation = () => signal;
      const context = { environment: {}, terminal, runnerFor, ...owned, service, cancellation, folder };
      return await command.run(parseCall(command, words, context));
    } catch (error) {
      if (signal.aborted) {
        terminal.err('headwater: The command was cancelled.');
        return 1;
      }
      return exitCodeOf(error, command, terminal);
    }
  };
}

function exitCodeOf(error: unknown, command: Command | undefined, terminal: Terminal): number {
  if (error instanceof UsageError) {
    terminal.err(`headwater: ${error.message}`);
    terminal.err(`'headwater ${command ? `${command.name} ` : ''}--help' shows more.`);
    return 2;
  }
  const sentence = failureSentence(error);
  if (sentence !== undefined) terminal.err(`headwater: ${sentence}`);
  else terminal.err(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return 1;
}
