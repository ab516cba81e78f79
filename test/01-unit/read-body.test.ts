import { expect } from 'chai';
import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { readBody } from '../../core/http/read-body.ts';

const TEXTS = z.strictObject({ texts: z.array(z.string()).max(10_000) });

async function issuesOf(body: Record<string, unknown>, type: z.ZodType = TEXTS) {
  try {
    await readBody(type, body);
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
    expect(issues.map(({ path }) => path)).to.deep.equal(['texts[777]']);
    const tooMany = await issuesOf({ texts: Array.from({ length: 10_001 }, () => 1) });
    expect(tooMany.issues.map(({ path }) => path)).to.deep.equal(['texts']);
  });

  it('says in the words of the other APIs what is wrong, and where', async () => {
    const NOTE = z.strictObject({
      name: z.string().max(3),
      count: z.number().int().min(1),
      kind: z.enum(['short', 'long']),
      notes: z.array(z.strictObject({ id: z.guid(), done: z.boolean() })).min(1),
      own: z.string('A colour is expected.').optional(),
    });
    const about = async (body: Record<string, unknown>) =>
      (await issuesOf(body, NOTE)).issues.map(({ path, message }) => [path, message]);
    expect(await about({ name: 1, count: 'x', kind: 'wide', notes: 5, own: 2 })).to.deep.equal([
      ['name', 'A string is expected.'],
      ['count', 'A number is expected.'],
      ['kind', 'The value must be one of short, long.'],
      ['notes', 'An array is expected.'],
      ['own', 'A colour is expected.'],
    ]);
    const wrong = { id: 'x', done: 'yes', other: 1 };
    const right = { id: '6f3a1c62-0000-4000-8000-000000000000', done: true };
    expect(
      await about({ name: 'four', count: 0.5, notes: [right, wrong, 7], title: '' }),
    ).to.have.deep.members([
      ['name', 'The length must be at most 3.'],
      ['count', 'A whole number is expected.'],
      ['kind', 'The value is missing.'],
      ['notes[1].id', 'A GUID is expected.'],
      ['notes[1].done', 'true or false is expected.'],
      ['notes[1]', 'The property "other" is not known here.'],
      ['notes[2]', 'An object is expected.'],
      [undefined, 'The property "title" is not known here.'],
    ]);
    expect(await about({ name: '', count: 0, kind: 'short', notes: [] })).to.deep.equal([
      ['count', 'The number must be at least 1.'],
      ['notes', 'The length must be at least 1.'],
    ]);
  });

  it('names the first hundred issues of a body, however many there are', async () => {
    const { name, issues } = await issuesOf({ texts: Array.from({ length: 10_000 }, () => 1) });
    expect(name).to.equal('invalidBody');
    expect(issues).to.have.length(101);
    expect(issues[99]).to.include({ path: 'texts[99]' });
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
