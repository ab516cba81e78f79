import { ServiceError } from '../errors.ts';

/** Codes of SQLite, PostgreSQL (disk_full) and the file system: no space left, quota of the user exceeded. */
const CODES: ReadonlySet<unknown> = new Set(['SQLITE_FULL', '53100', 'ENOSPC', 'EDQUOT']);

export function isDiskFull(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (CODES.has((cause as NodeJS.ErrnoException).code)) return true;
  return false;
}

/** @returns 507 (RFC 4918 section 11.5) for an error caused by a full disk; else the error itself */
export function diskFullOr(error: unknown): unknown {
  if (error instanceof ServiceError || !isDiskFull(error)) return error;
  const message =
    'The disk of the service is full; nothing was changed. Free some space on it and send the request again.';
  return new ServiceError('insufficientStorage', message, { cause: error });
}
