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
