import type { Flag } from '../../config/read-layers.ts';
import type { Role } from '../../config/role-settings.ts';
import type { Services } from '../../core/http/services.ts';
import type { Reloaded } from '../roles/reload.ts';
import type { Signals } from '../signals.ts';
import type { RunCommand } from './owner-socket.ts';
import type { Terminal } from './terminal.ts';

/** One call of a command. */
export interface Call {
  /** Name of the command. */
  readonly command: string;
  /** Values of its arguments, in order. */
  readonly arguments: readonly string[];
  /** Values of its own options, by name; absent = not given. */
  readonly options: Readonly<Record<string, string | undefined>>;
  readonly switches: ReadonlySet<string>;
  /** Settings from the command line. */
  readonly flags: readonly Flag[];
  /** Folder of the operator's files: `--config`, else the environment. */
  readonly configFolder: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly terminal: Terminal;
  /** Working directory of the process that received the command line, also where another process runs it. */
  readonly folder: string;
  /** Set where the command runs inside the process that owns the data folder. */
  readonly operations?: Services;
  /** Set inside a running service. */
  readonly service?: ServiceControls;
  /** How the owner of a data folder runs a command that another process forwards; without operations where it keeps no data. */
  readonly runnerFor: (service: ServiceControls, operations?: Services) => RunCommand;
  /**
   * Called by work that can be canceled. Its signal fires when the process that forwarded the command ends, or its person cancels
   * it; in a process of its own, by the first SIGINT or SIGTERM from then on.
   */
  readonly cancellation?: () => AbortSignal;
  /** What stops and reloads a service in place of the signals of this process. */
  readonly signals?: Signals;
}

/** Control of the running service. */
export interface ServiceControls {
  readonly role: Role;
  /** Reads the configuration again; warnings go to the terminal. */
  reload(terminal: Terminal): Promise<Reloaded>;
  /** Ends the block of an address; false where it was not blocked. Undefined where the role blocks none. */
  readonly unblock?: (address: string) => Promise<boolean>;
  /** Address of the console at present; undefined where the role does not have it. */
  readonly consoleUrl?: () => string | undefined;
}

export interface Option {
  /** Placeholder of its value in the help; none = a switch. */
  readonly value?: string;
  readonly about: string;
  readonly required?: boolean;
}

export interface Command {
  /** One or two words: `serve`, `project create`. */
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** Further text of its own help: what it prints, what it needs. */
  readonly details?: string;
  /** Names of its required arguments. */
  readonly arguments?: readonly string[];
  readonly options: Readonly<Record<string, Option>>;
  /** Works on the data: a service that runs on the same folder runs it. */
  readonly onData?: boolean;
  /** @returns the exit code: 0 done, 1 failed. An error gives 1, a UsageError 2 */
  run(call: Call): Promise<number>;
}

/** The command line itself is wrong: exit code 2 and a hint at the help. */
export class UsageError extends Error {}

/** @throws UsageError where the option is missing or, as an unset variable of a shell leaves it, empty */
export function requiredOption(call: Call, name: string): string {
  const value = call.options[name];
  if (value === undefined) throw new UsageError(`--${name} is missing.`);
  if (value === '') throw new UsageError(`--${name} is empty.`);
  return value;
}

/** @throws UsageError where the value of the option is no whole number from 1 to `most` */
export function wholeNumber(text: string, option: string, most: number): number {
  const number = /^\d+$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= most) return number;
  throw new UsageError(`--${option} must be a whole number from 1 to ${most}.`);
}
