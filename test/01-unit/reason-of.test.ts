import { expect } from 'chai';
import { ServiceError } from '../../core/errors.ts';
import { reasonOf } from '../../core/jobs/reason-of.ts';

const IN_THE_LOG = 'An internal error ended the job; see the log of the service.';

describe('the reason of a job that failed', () => {
  it('is the message of a broken rule with its first ten issues', () => {
    const validationErrors = Array.from({ length: 12 }, (_, at) => ({ message: `Issue ${at + 1}.` }));
    const error = new ServiceError('invalidBody', 'The body is invalid.', { validationErrors });
    const issues = validationErrors.slice(0, 10).map(({ message }) => message);
    expect(reasonOf(error).split('\n')).to.deep.equal(['The body is invalid.', ...issues, '… and 2 more.']);
  });

  it('is the message where the service cannot do it at present', () => {
    for (const name of ['unavailable', 'insufficientStorage'] as const)
      expect(reasonOf(new ServiceError(name, 'A cause.'))).to.equal('A cause.');
  });

  it('is in the log for any other error', () => {
    expect(reasonOf(new ServiceError('internal', 'A cause.'))).to.equal(IN_THE_LOG);
    expect(reasonOf(new TypeError('x is undefined'))).to.equal(IN_THE_LOG);
  });
});
