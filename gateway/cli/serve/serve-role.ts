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

/** A service that runs. */
interface Running {
  readonly role: Role;
  readonly service: { close(): Promise<void> };
  /** Folder of the socket for commands; undefined = no socket. */
  readonly dataDir: string | undefined;
  readonly run: RunCommand;
  readonly reload: (to: Terminal) => Promise<unknown>;
  /** Printed once commands and signals reach the service. */
  readonly lines: readonly string[];
  /** Comes after the lines. */
  readonly offerSignIn?: () => Promise<void>;
}

/** Lets commands and signals reach the service until one stops it. Then, or after an error, it ends. */
export async function runUntilStopped(
  { role, service, dataDir, run, reload, lines, offerSignIn }: Running,
  { terminal }: Call,
  signals: Signals,
): Promise<void> {
  let socket: { close(): Promise<void> } | undefined;
  try {
    if (dataDir !== undefined) socket = await openOwnerSocket(dataDir, run, role);
    // The log has the error already.
    signals.onReload(() => reload(terminal).catch(() => {}));
    for (const line of lines) terminal.out(line);
    await offerSignIn?.();
    const signal = await signals.stop;
    terminal.err(`${signal}: letting running requests finish.`);
  } finally {
    await socket?.close();
    await service.close();
  }
}
