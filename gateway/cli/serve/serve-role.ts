import type { Role } from '../../../config/role-settings.ts';
import type { Signals } from '../../signals.ts';
import type { Call } from '../command.ts';
import { type Configured, configure } from '../configure.ts';
import { openOwnerSocket, type RunCommand } from '../owner-socket.ts';
import type { Terminal } from '../terminal.ts';

/** Runs one role; ends when the service has stopped. */
export type ServeRole = (configured: Configured, call: Call, signals: Signals) => Promise<void>;

/** Reads the configuration again, as at the start of this process; warnings go to the terminal. */
export function configureAgain(call: Call, terminal: Terminal): () => Promise<Configured> {
  return () => configure({ ...call, terminal });
}

/** Opens the socket for commands; where that fails, the service that has just started ends. */
export async function openSocketOf(
  service: { close(): Promise<void> },
  dataDir: string,
  run: RunCommand,
  role: Role,
): Promise<{ close(): Promise<void> }> {
  try {
    return await openOwnerSocket(dataDir, run, role);
  } catch (error) {
    await service.close();
    throw error;
  }
}

export async function untilStopped(signals: Signals, terminal: Terminal): Promise<void> {
  const signal = await signals.stop;
  terminal.err(`${signal}: letting running requests finish.`);
}

export function printLines(terminal: Terminal, lines: readonly string[]): void {
  for (const line of lines) terminal.out(line);
}
