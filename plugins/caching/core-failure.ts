import { ServiceError } from '../../core/contract.ts';

/** Whether core failed or could not be reached, unlike a refusal of the request. */
export function isCoreFailure(error: unknown): boolean {
  return !(error instanceof ServiceError) || error.status >= 500;
}
