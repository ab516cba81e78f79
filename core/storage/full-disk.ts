import { ServiceError } from '../errors.ts';

/** SQLite's code, and those of the file system: no space left, the quota of the user is used up. */
const CODES: ReadonlySet<unknown> = new Set(['SQLITE_FULL', 'ENOSPC', 'EDQUOT']);

/** The answer to a request that failed because the disk is full (507, RFC 4918 section 11.5); else the error itself. */
export function diskFullOr(error: unknown): unknown {
  if (error instanceof ServiceError) return error;
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (!CODES.has((cause as NodeJS.ErrnoException).code)) continue;
    const message =
      'The disk of the service is full; nothing was changed. Free some space on it and send the request again.';
    return new ServiceError('insufficientStorage', message, { cause: error });
  }
  return error;
}
