import { expect } from 'chai';
import { checkOrder, type Entry } from '../support/webhooks/delivery-record.ts';

/** `a0` was taken in round 0, `a0!` was answered with an error. */
function entries(text: string): Entry[] {
  return text
    .split(' ')
    .map((word) => ({ path: '/', id: word[0] ?? '', round: Number(word[1]), taken: !word.endsWith('!') }));
}

describe('the record that fault tests judge by', () => {
  const check = (text: string) => checkOrder(entries(text), ['a', 'b', 'c']);

  it('takes what came in order, failed attempts and all', () => {
    expect(check('a0 b0 c0')).to.equal(0);
    expect(check('a0! a0! a1 b1! b2 c2')).to.equal(0);
  });

  it('takes a repeat where a kill was in between, and counts it', () => {
    expect(check('a0 a1 b1 c1 c2')).to.equal(2);
  });

  it('notices what is lost, out of order, or came twice for no reason', () => {
    expect(() => check('a0 b0')).to.throw('1 of 3 are lost');
    expect(() => check('a0 c0 b0')).to.throw('out of order');
    expect(() => check('a0! b0')).to.throw('out of order');
    expect(() => check('a0 b0 a1 c1')).to.throw('out of order');
    expect(() => check('a0 a0 b0 c0')).to.throw('came twice');
  });
});
