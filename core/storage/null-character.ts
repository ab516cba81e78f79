import { ServiceError } from '../errors.ts';
import type { SqlValue } from './sql.ts';

/** PostgreSQL cannot store U+0000 in a text, and SQLite cannot search beyond it. */
export function nullCharacter(cause?: unknown): ServiceError {
  return new ServiceError('badRequest', 'A text must not hold null characters (U+0000).', { cause });
}

/** @throws ServiceError for a text with U+0000 */
export function refuseNullCharacters(values: readonly SqlValue[] | undefined): void {
  if (values === undefined) return;
  for (const value of values) if (typeof value === 'string' && value.includes('\0')) throw nullCharacter();
}
