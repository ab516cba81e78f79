import type { Role } from '../config/role-settings.ts';

/** A process of an installation, as its logs, its health and the admin API name it. */
export interface ProcessIdentity {
  readonly role: Role;
  /** The operator's name for it, or its host and process id. */
  readonly instance: string;
  /** Of the program. */
  readonly version: string;
  /** ISO 8601. */
  readonly started: string;
}

/** What the admin API lists about a process, so that differences between processes are visible. */
export interface ProcessState extends ProcessIdentity {
  /** Where it answers; null as long as it does not listen. */
  readonly address: string | null;
  /** Digest of its settings in effect; null where it has none. */
  readonly configuration: string | null;
  /** Version of the protocol between gateways and cores; null in the role `all`. */
  readonly protocol: number | null;
}

/** A process and how far it has followed the changes. */
export interface ProcessReport extends ProcessState {
  /** The last commit that it has. */
  readonly sequence: number;
  /** How long it has lacked a later one, in milliseconds; 0 where there is none. */
  readonly behind: number;
}
