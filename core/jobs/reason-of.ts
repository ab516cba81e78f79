import { ServiceError } from '../errors.ts';

/** Issues in the reason; another attempt reports all. */
const REASON_ISSUES = 10;

/** Whether a broken rule ended a job; any other error belongs in the log. */
export function isRefusal(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.status < 500;
}

/** Why a job failed, with the first issues. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof ServiceError) || error.errorName === 'internal')
    return 'An internal error ended the job; see the log of the service.';
  const { message, validationErrors = [] } = error;
  const issues = validationErrors.slice(0, REASON_ISSUES).map((issue) => issue.message);
  const more = validationErrors.length - issues.length;
  return [message, ...issues, ...(more > 0 ? [`… and ${more} more.`] : [])].join('\n');
}
