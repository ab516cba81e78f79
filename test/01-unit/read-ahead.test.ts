import { expect } from 'chai';
import { readAhead } from '../../core/turns/read-ahead.ts';

describe('a source that is read ahead', () => {
  it('gives its values in order, each begun before the one before it is done', async () => {
    const log: string[] = [];
    async function* source() {
      for (const value of ['a', 'b', 'c']) {
        log.push(`read ${value}`);
        yield value;
      }
    }
    for await (const value of readAhead(source())) log.push(`use ${value}`);
    expect(log).to.deep.equal(['read a', 'read b', 'use a', 'read c', 'use b', 'use c']);
  });

  it('fails after the values before the failure', async () => {
    async function* source() {
      yield 'a';
      throw new Error('broken');
    }
    const used: string[] = [];
    let message = '';
    try {
      for await (const value of readAhead(source())) used.push(value);
    } catch (error) {
      message = (error as Error).message;
    }
    expect([used, message]).to.deep.equal([['a'], 'broken']);
  });

  it('ends its source where the reader stops, also one that waits for ever', async () => {
    let isEnded = false;
    async function* source() {
      try {
        yield 'a';
        yield 'b';
      } finally {
        isEnded = true;
      }
    }
    for await (const value of readAhead(source())) if (value === 'a') break;
    await new Promise((resolve) => setImmediate(resolve));
    expect(isEnded).to.equal(true);
    async function* waiting() {
      yield 'a';
      await new Promise(() => {});
    }
    for await (const value of readAhead(waiting())) if (value === 'a') break;
  });
});
