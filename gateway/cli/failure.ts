/** An error as one sentence for the operator. */
import { ConfigError } from '../../config/problem.ts';
import { StartError } from '../../config/start-error.ts';
import { ServiceError } from '../../core/contract.ts';
import type { ValidationIssue } from '../../core/errors.ts';

/** Errors whose messages are for the operator. */
const OPERATOR_ERRORS = [ConfigError, StartError];

const SENTENCES: Readonly<Record<string, (subject: string) => string>> = {
  ENOENT: (subject) => `${subject} is not there.`,
  EACCES: (subject) => `There is no permission for ${subject}.`,
  EPERM: (subject) => `There is no permission for ${subject}.`,
  EROFS: (subject) => `${subject} is on a read-only disk.`,
  ENOSPC: (subject) => `The disk of ${subject} is full.`,
  EDQUOT: (subject) => `The disk quota of ${subject} is used up.`,
  EMFILE: () => 'Too many files are open; raise the limit (ulimit -n).',
  EEXIST: (subject) => `${subject} is in the way: it is no folder.`,
  ENOTDIR: (subject) => `${subject} is no folder.`,
  EISDIR: (subject) => `${subject} is a folder.`,
  ENAMETOOLONG: (subject) => `The path ${subject} is too long; choose a shorter one.`,
  ELOOP: (subject) => `${subject} is a link that leads to itself.`,
  SQLITE_FULL: () => 'The disk of the data folder is full.',
  SQLITE_NOTADB: () => 'The database file in the data folder is not a database.',
  SQLITE_CORRUPT: () => 'The database file in the data folder is damaged.',
  SQLITE_CANTOPEN: () => 'The database file in the data folder cannot be opened.',
  SQLITE_READONLY: () => 'The database file in the data folder is read-only.',
  SQLITE_BUSY: () => 'The database file in the data folder is in use by another program.',
  SQLITE_IOERR: () => 'The database file in the data folder cannot be read or written.',
};

/** Where a file was copied, these are about the copy. */
const WRITTEN: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EROFS']);

/** A finding in an archive has a file and a row; one in a body has only its message. */
export function findingText({ message, file, row, path }: ValidationIssue): string {
  if (file === undefined) return message;
  const at = [file, row === undefined ? '' : `row ${row}`, path ?? ''].filter(Boolean).join(', ');
  return `${at}: ${message}`;
}

/** Undefined for a fault of the program, which is shown with its stack. */
export function failureSentence(error: unknown): string | undefined {
  if (error instanceof ServiceError) {
    // The findings are more precise than the message, which is for a response body.
    return error.validationErrors?.map(findingText).join(' ') || error.message;
  }
  if (OPERATOR_ERRORS.some((kind) => error instanceof kind)) return (error as Error).message;
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code, path, syscall, dest } = cause as NodeJS.ErrnoException & { readonly dest?: string };
    if (code === undefined) continue;
    const sentence = SENTENCES[code];
    const subject = WRITTEN.has(code) ? (dest ?? path) : path;
    if (sentence) return sentence(subject ?? 'the data folder');
    if (syscall !== undefined && path !== undefined) return `${path} cannot be used: ${code}.`;
  }
  return undefined;
}
