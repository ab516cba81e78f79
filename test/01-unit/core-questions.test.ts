/** Questions between cores over notifications of limited length. */
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { ASKED_MS } from '../../core/storage/core-registry.ts';
import { CoreQuestions } from '../../core/storage/postgres/core-questions.ts';

/** Bytes of a notification that PostgreSQL refuses. */
const REFUSED = 8000;
const PATH = '/delivery/00000000-0000-0000-0000-000000000000/items?system.type=article&depth=2&limit=100';

/** Statements that notifications were sent in, by core. */
let statements: Map<string, number>;

/** Cores that get each other's notifications, and their own. */
function cores(...ids: readonly string[]): CoreQuestions[] {
  const all: CoreQuestions[] = ids.map(
    (id) =>
      new CoreQuestions(id, async (payloads) => {
        statements.set(id, (statements.get(id) ?? 0) + 1);
        for (const payload of payloads) {
          expect(Buffer.byteLength(payload)).to.be.lessThan(REFUSED);
          for (const core of all) void core.received(payload);
        }
      }),
  );
  return all;
}

describe('questions between cores', () => {
  beforeEach(() => {
    statements = new Map();
  });

  it('are answered by all others, also with more than a notification holds', async () => {
    const [first, ...others] = cores('a', 'b', 'c');
    const long = Array.from({ length: 5000 }, (_, at) => `${at} ${Math.random()} ä`).join('\n');
    for (const core of others) core.answer(async (question) => question + long);
    first!.answer(async () => 'not asked');
    const answers = await first!.ask('{"a question": 1}', 2);
    expect(answers).to.deep.equal([`{"a question": 1}${long}`, `{"a question": 1}${long}`]);
  });

  it('get an answer of 4 MB in time and in one statement', async () => {
    const [first, second] = cores('a', 'b');
    const long = Array.from({ length: 24_000 }, (_, at) => ({
      at,
      id: randomBytes(8).toString('hex'),
      path: PATH,
    }));
    const answer = JSON.stringify(long) + 'a'.repeat(1_000_000);
    second!.answer(async () => answer);
    const answers = await first!.ask('all?', 1);
    expect(answers.length).to.equal(1);
    expect(answers[0] === answer).to.equal(true);
    expect(statements.get('b')).to.equal(1);
  });

  it('learn at once that an answer is too long', async () => {
    const [first, ...others] = cores('a', 'b', 'c');
    const long = randomBytes(1_000_000).toString('base64');
    others[0]!.answer(async () => long);
    others[1]!.answer(async () => 'short');
    const began = performance.now();
    expect(await first!.ask('all?', 2)).to.have.members([null, 'short']);
    expect(performance.now() - began).to.be.lessThan(ASKED_MS);
  });

  it('end without those that do not answer', async () => {
    const [first, second] = cores('a', 'b', 'c');
    second!.answer(async () => 'here');
    expect(await first!.ask('who?', 2)).to.deep.equal(['here']);
  });

  it('are several at once', async () => {
    const [first, second] = cores('a', 'b');
    second!.answer(async (question) => question.toUpperCase());
    expect(await Promise.all([first!.ask('one', 1), first!.ask('two', 1)])).to.deep.equal([['ONE'], ['TWO']]);
  });
});
