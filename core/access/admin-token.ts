import { ServiceError } from '../errors.ts';

/** The token of the admin API. The process that starts core knows where it is stored. */
export interface AdminToken {
  /** @param hash of the presented token, see `tokenHash` */
  matches(hash: string): boolean;
  /**
   * Generates the next token. `apply` makes it valid and the old one invalid.
   * @throws conflict if the settings define the token
   */
  prepare(): Promise<{ readonly token: string; apply(): Promise<void>; discard(): Promise<void> }>;
}

/** For a core without an admin API. */
export const NO_ADMIN_TOKEN: AdminToken = {
  matches: () => false,
  prepare: () => Promise.reject(new ServiceError('conflict', 'This process has no admin token to replace.')),
};
