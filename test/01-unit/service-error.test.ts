import { expect } from 'chai';
import { type ErrorName, ServiceError } from '../../core/errors.ts';

const framesOf = (name: ErrorName) =>
  new ServiceError(name, 'Refused.').stack?.match(/^ +at /gm)?.length ?? 0;

describe('errors that callers see', () => {
  it('have a stack, except those of overload', () => {
    const limit = Error.stackTraceLimit;
    for (const name of ['internal', 'itemNotFound', 'invalidBody'] as const)
      expect(framesOf(name), name).to.be.above(0);
    for (const name of ['unavailable', 'rateLimited', 'quotaExceeded'] as const)
      expect(framesOf(name), name).to.equal(0);
    expect(Error.stackTraceLimit).to.equal(limit);
  });
});
