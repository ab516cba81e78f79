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
  /** What comes after the lines. */
  readonly greet?: () => Promise<void>;
}

/** Lets commands and signals reach the service until one stops it, then ends it. */
export async function untilStopped(running: Running, { terminal }: Call, signals: Signals): Promise<void> {
  const { service, reload } = running;
  const socket = await openSocketOf(running);
  // The log has the error already.
  signals.onReload(() => reload(terminal).catch(() => {}));
  for (const line of running.lines) terminal.out(line);
  await running.greet?.();
  const signal = await signals.stop;
  terminal.err(`${signal}: letting running requests finish.`);
  await socket?.close();
  await service.close();
}

/** Where that fails, the service that has just started ends. */
async function openSocketOf({ service, dataDir, run, role }: Running) {
  if (dataDir === undefined) return undefined;
  try {
    return await openOwnerSocket(dataDir, run, role);
  } catch (error) {
    await service.close();
    throw error;
  }
}
