import { expect } from 'chai';
import { ServiceError } from '../../core/errors.ts';

/** @returns the error that callers would see */
export async function failure(work: () => Promise<unknown>): Promise<ServiceError> {
  try {
    await work();
  } catch (error) {
    expect(error, String((error as Error).stack)).to.be.instanceOf(ServiceError);
    return error as ServiceError;
  }
  throw new Error('It should have been refused.');
}
