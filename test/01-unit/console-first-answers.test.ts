/** The answers that the page of a content list has: core makes none for a client that is gone. */
import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import type { CoreRequest } from '../../core/contract.ts';
import { ServiceError } from '../../core/errors.ts';
import { firstAnswers } from '../../plugins/console/first-answers.ts';

describe('first answers of a page', () => {
  it('are not made to their end where one of them is refused', async () => {
    const asked: CoreRequest[] = [];
    const services = {
      ids: { newId: () => 'a' },
      core: {
        handle: (request: CoreRequest) => {
          asked.push(request);
          return asked.length < 4
            ? new Promise(() => {})
            : Promise.reject(new ServiceError('forbidden', 'Your roles do not include it.'));
        },
      },
    };
    const ctx = {
      method: 'GET',
      get: () => 'document',
      res: new EventEmitter(),
      state: {
        surface: { path: '/projects/notes/content', query: '' },
        principal: { kind: 'session' },
        bases: {},
      },
    };
    const [context, given] = [ctx, services] as unknown as Parameters<typeof firstAnswers>;
    expect(await firstAnswers(context, given)).to.equal(undefined);
    expect(asked.map(({ signal }) => signal?.aborted)).to.deep.equal([true, true, true, true]);
  });
});
