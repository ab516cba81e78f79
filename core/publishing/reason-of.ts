import type { ServiceError } from '../errors.ts';

/** Issues in the reason of a job; publishing again reports all. */
const REASON_ISSUES = 10;

/** Why a job failed, with the first issues. */
export function reasonOf({ message, validationErrors = [] }: ServiceError): string {
  const issues = validationErrors.slice(0, REASON_ISSUES).map((issue) => issue.message);
  const more = validationErrors.length - issues.length;
  return [message, ...issues, ...(more > 0 ? [`… and ${more} more.`] : [])].join('\n');
}
