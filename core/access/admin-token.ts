import { ServiceError } from '../errors.ts';

/** The token of the admin API; whoever starts core knows where it is kept. */
export interface AdminToken {
  matches(presented: string): boolean;
  /**
   * Makes the next token without using it yet. `apply` puts it in force: the old one is dead from then on.
   * @throws conflict where the token is not the service's to change
   */
  prepare(): Promise<{ readonly token: string; apply(): Promise<void>; discard(): Promise<void> }>;
}

/** Of a core that nobody administers over HTTP. */
export const NO_ADMIN_TOKEN: AdminToken = {
  matches: () => false,
  prepare: () => Promise.reject(new ServiceError('conflict', 'This process has no admin token to replace.')),
};
