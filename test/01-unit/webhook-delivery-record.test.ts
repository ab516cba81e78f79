import { expect } from 'chai';
import { checkOrder, type Entry } from '../support/webhooks/delivery-record.ts';

/** `a0` was accepted in round 0, `a0!` was answered with an error. */
function entries(text: string): Entry[] {
  return text.split(' ').map((word) => ({
    path: '/',
    id: word[0] ?? '',
    round: Number(word[1]),
    at: 0,
    taken: !word.endsWith('!'),
  }));
}

describe('the delivery record of the fault tests', () => {
  const check = (text: string) => checkOrder(entries(text), ['a', 'b', 'c']);

  it('accepts deliveries in order, with failed attempts', () => {
    expect(check('a0 b0 c0')).to.equal(0);
    expect(check('a0! a0! a1 b1! b2 c2')).to.equal(0);
  });

  it('accepts and counts a repeat after a kill', () => {
    expect(check('a0 a1 b1 c1 c2')).to.equal(2);
    expect(check('a0 a1! a1! a1 b1 c1')).to.equal(1);
  });

  it('rejects losses, wrong order, and repeats without a kill', () => {
    expect(() => check('a0 b0')).to.throw('1 of 3 are lost');
    expect(() => check('a0 c0 b0')).to.throw('out of order');
    expect(() => check('a0! b0')).to.throw('out of order');
    expect(() => check('a0 b0 a1 c1')).to.throw('out of order');
    expect(() => check('a0 a0 b0 c0')).to.throw('came twice');
  });
});
