import { expect } from 'chai';
import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { readBody } from '../../core/http/read-body.ts';

const TEXTS = z.strictObject({ texts: z.array(z.string()).max(10_000) });

async function issuesOf(body: Record<string, unknown>) {
  try {
    await readBody(TEXTS, body);
  } catch (error) {
    if (error instanceof ServiceError) return { name: error.errorName, issues: error.validationErrors ?? [] };
    throw error;
  }
  throw new Error('The body was accepted.');
}

describe('readBody', () => {
  it('gives the body as its schema reads it, also long lists', async () => {
    const UPPER = z.strictObject({ texts: z.array(z.string().toUpperCase()).optional() });
    for (const count of [0, 1, 1000]) {
      const texts = Array.from({ length: count }, (_, at) => `text ${at}`);
      const upper = texts.map((text) => text.toUpperCase());
      expect(await readBody(UPPER, { texts })).to.deep.equal({ texts: upper });
    }
  });

  it('names the issues of a list with their places, and what is wrong with its length', async () => {
    const texts = Array.from({ length: 1000 }, (_, at) => (at === 777 ? 1 : 'x'));
    const { issues } = await issuesOf({ texts });
    expect(issues.map(({ path }) => path)).to.deep.equal(['texts.777']);
    const tooMany = await issuesOf({ texts: Array.from({ length: 10_001 }, () => 1) });
    expect(tooMany.issues.map(({ path }) => path)).to.deep.equal(['texts']);
  });

  it('names the first hundred issues of a body, however many there are', async () => {
    const { name, issues } = await issuesOf({ texts: Array.from({ length: 10_000 }, () => 1) });
    expect(name).to.equal('invalidBody');
    expect(issues).to.have.length(101);
    expect(issues[99]).to.include({ path: 'texts.99' });
    expect(issues[100]).to.deep.equal({ message: '… and more.' });
  });

  it('names the first of many unknown keys', async () => {
    const { issues } = await issuesOf({
      texts: [],
      ...Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`k${at}`, 0])),
    });
    expect(issues).to.have.length(1);
    expect(issues[0]?.message).to.match(/"k0", "k1"/);
    expect(issues[0]?.message).to.have.length.below(600);
  });
});
