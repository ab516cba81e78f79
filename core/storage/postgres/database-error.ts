import { ServiceError } from '../../errors.ts';
import { nullCharacter } from '../null-character.ts';
import { Busy, type WorkEnded } from '../read-scope.ts';

/** Classes and codes of SQLSTATE (PostgreSQL, appendix A), and of sockets: the connection or the server is gone. */
const LOST =
  /^(?:08...|57P0[1-5]|53300|25P03|ECONNREFUSED|ECONNRESET|EPIPE|ENOENT|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/;
const QUERY_CANCELLED = '57014';
/** SQLSTATE read_only_sql_transaction: the server is not the primary any more. */
export const READ_ONLY = '25006';
/** Another transaction was in the way: lock not available, serialization failure, deadlock. */
const IN_THE_WAY = /^(?:55P03|40001|40P01)$/;
/** A character that cannot be in a text: as a parameter, and escaped in JSON. */
const BAD_CHARACTER = /^(?:22021|22P05)$/;

export function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code ?? '');
}

/** The connection to the database is lost, or cannot be made. */
export class DatabaseLost extends ServiceError {
  constructor(cause: unknown) {
    super('unavailable', 'The database does not answer; try again in a moment.', {
      headers: { 'retry-after': '1' },
      cause,
    });
  }
}

/** A commit whose answer was lost. */
export function unknownOutcome(cause: unknown): ServiceError {
  return new ServiceError(
    'unavailable',
    'The database was lost during the commit: the outcome is unknown. Read the state before you repeat the call.',
    { cause },
  );
}

/** @returns the error of a statement as callers of the port expect it */
export function statementError(error: unknown, reason: WorkEnded | null): unknown {
  if (error instanceof ServiceError) return error;
  const code = codeOf(error);
  if (reason !== null && (code === QUERY_CANCELLED || isLost(error))) return reason;
  if (isLost(error)) return new DatabaseLost(error);
  if (IN_THE_WAY.test(code) || code === QUERY_CANCELLED) return new Busy(error);
  if (BAD_CHARACTER.test(code)) return nullCharacter(error);
  return error;
}

export function isLost(error: unknown): boolean {
  const code = codeOf(error);
  // The driver has no code for a connection that ends.
  return (
    LOST.test(code) ||
    (code === '' &&
      /^(?:Connection terminated|Client (?:was closed|has encountered))/.test((error as Error).message))
  );
}
