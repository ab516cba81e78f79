/** The command line: finds the command, runs it, and turns every ending into an exit code. */
import { type Command, UsageError } from './command.ts';
import { findCommand, parseCall } from './command-line.ts';
import { commands } from './commands/command-list.ts';
import { failureSentence } from './failure.ts';
import { commandHelp, generalHelp } from './help.ts';
import { openTerminal, type Terminal } from './terminal.ts';

/** @param words what stands behind `headwater`; the answer is the exit code: 0 done, 1 failed, 2 wrong usage */
export async function main(words: readonly string[]): Promise<number> {
  const terminal = openTerminal(process.stdout, process.stderr);
  // A reader that has left (`headwater explain | head`) is no fault.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  const asksForHelp = words.includes('--help') || words.includes('-h') || words[0] === 'help';
  const rest = words.filter((word) => word !== '--help' && word !== '-h').slice(words[0] === 'help' ? 1 : 0);
  if (rest.length === 0) {
    for (const line of generalHelp(commands)) (asksForHelp ? terminal.out : terminal.err)(line);
    return asksForHelp ? 0 : 2;
  }
  let command: Command | undefined;
  try {
    command = findCommand(commands, rest);
    if (asksForHelp) {
      for (const line of commandHelp(command)) terminal.out(line);
      return 0;
    }
    return await command.run(parseCall(command, rest, { environment: process.env, terminal }));
  } catch (error) {
    return ending(error, command, terminal);
  }
}

function ending(error: unknown, command: Command | undefined, terminal: Terminal): number {
  if (error instanceof UsageError) {
    terminal.err(`headwater: ${error.message}`);
    terminal.err(`'headwater ${command ? `${command.name} ` : ''}--help' tells more.`);
    return 2;
  }
  const sentence = failureSentence(error);
  if (sentence !== undefined) terminal.err(`headwater: ${sentence}`);
  else terminal.err(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return 1;
}
