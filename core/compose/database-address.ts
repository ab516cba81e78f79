import { targetOf } from '../storage/postgres/start-errors.ts';

export interface DatabaseAddress {
  /** Database, host and port, without a secret. */
  readonly name: string;
  /** Files of certificates and keys that the URL names. */
  readonly files: readonly string[];
}

/** @throws StartError for a URL that cannot be one of PostgreSQL; connects to nothing */
export function databaseAddress(url: string): DatabaseAddress {
  const { name, files } = targetOf(url);
  return { name: name.replace(/^The /, ''), files };
}
