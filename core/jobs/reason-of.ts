import { ServiceError } from '../errors.ts';

/** Issues in the reason; another attempt reports all. */
const REASON_ISSUES = 10;

/** Whether its message tells the user of a job why that failed; any other error belongs in the log. */
export function isReason(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.status < 500;
}

/** Why a job failed, with the first issues. */
export function reasonOf(error: unknown): string {
  if (!isReason(error)) return 'An internal error ended the job; see the log of the service.';
  const { message, validationErrors = [] } = error;
  const issues = validationErrors.slice(0, REASON_ISSUES).map((issue) => issue.message);
  const more = validationErrors.length - issues.length;
  return [message, ...issues, ...(more > 0 ? [`… and ${more} more.`] : [])].join('\n');
}
