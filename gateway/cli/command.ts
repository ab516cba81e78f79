import type { Flag } from '../../config/read-layers.ts';
import type { Services } from '../../core/http/services.ts';
import type { Reloaded } from '../roles/reload.ts';
import type { RunCommand } from './owner-socket.ts';
import type { Terminal } from './terminal.ts';

/** What a command is given. */
export interface Call {
  /** Its own name. */
  readonly command: string;
  /** Values of its own arguments, in order. */
  readonly arguments: readonly string[];
  /** Values of its own options, by name; absent = not given. */
  readonly options: Readonly<Record<string, string | undefined>>;
  readonly switches: ReadonlySet<string>;
  /** Settings that were given on the command line. */
  readonly flags: readonly Flag[];
  /** Folder of the operator's files: `--config`, else the environment. */
  readonly configFolder: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly terminal: Terminal;
  /** Folder that relative paths on the command line are meant from, also where another process runs the command. */
  readonly folder: string;
  /** Set where the command runs inside the process that owns the data folder. */
  readonly owned?: Services;
  /** Set inside a running service. */
  readonly service?: ServiceControls;
  /** What the owner of the data runs when another process hands it a command. */
  readonly handedOver: (owned: Services, service: ServiceControls) => RunCommand;
  /** Aborted when whoever asked for the command has left. */
  readonly signal?: AbortSignal;
}

/** What a command can do to the running service itself. */
export interface ServiceControls {
  /** Makes it read its configuration again; warnings go to the terminal. */
  reload(terminal: Terminal): Promise<Reloaded>;
  /** Ends the block of an address; false where it was not blocked. */
  unblock(address: string): boolean;
}

export interface Option {
  /** Shown in the help for the value it takes; none = a switch. */
  readonly value?: string;
  readonly about: string;
  readonly required?: boolean;
}

export interface Command {
  /** One or two words: `serve`, `project create`. */
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** More for its own help: what it prints, what it needs. */
  readonly details?: string;
  /** Names of what must stand behind its own words. */
  readonly arguments?: readonly string[];
  readonly options: Readonly<Record<string, Option>>;
  /** Works on the data: a service that runs on the same folder is asked to do it. */
  readonly onData?: boolean;
  /** Leaves with the exit code: 0 done, 1 failed. Throws for one sentence and 1, or UsageError for 2. */
  run(call: Call): Promise<number>;
}

/** The command line itself is wrong; ends with exit code 2 and the way to the help. */
export class UsageError extends Error {}

/** The value of an option that must be there. */
export function requiredOption(call: Call, name: string): string {
  const value = call.options[name];
  if (value === undefined) throw new UsageError(`--${name} is missing.`);
  return value;
}
