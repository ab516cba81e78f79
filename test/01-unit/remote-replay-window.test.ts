import { expect } from 'chai';
import { ReplayWindow } from '../../core/remote/protocol/replay-window.ts';
import { Random } from '../support/random/random.ts';

const WIDTH = 65_536;

describe('the replay window', () => {
  it('accepts each number of a caller once, in any order', () => {
    const window = new ReplayWindow();
    const random = new Random(7);
    const numbers = Array.from({ length: 5000 }, (_, at) => at).sort(() => random.int(0, 2) - 1);
    for (const number of numbers) expect(window.accept('a', number)).to.equal(true);
    for (const number of numbers) expect(window.accept('a', number)).to.equal(false);
  });

  it('keeps callers apart', () => {
    const window = new ReplayWindow();
    expect(window.accept('a', 5)).to.equal(true);
    expect(window.accept('b', 5)).to.equal(true);
    expect(window.accept('a', 5)).to.equal(false);
  });

  it('refuses numbers that are too old to know', () => {
    const window = new ReplayWindow();
    expect(window.accept('a', WIDTH + 10)).to.equal(true);
    expect(window.accept('a', 10)).to.equal(false);
    expect(window.accept('a', 11)).to.equal(true);
  });

  it('is right after steps of any length', () => {
    const random = new Random(11);
    const window = new ReplayWindow();
    const seen = new Set<number>();
    let highest = -1;
    for (let time = 0; time < 20_000; time++) {
      const step = random.int(0, 40) === 0 ? random.int(0, 3 * WIDTH) : random.int(0, 50) - 25;
      const number = Math.max(0, highest + step);
      const expected = !seen.has(number) && number > highest - WIDTH;
      expect(window.accept('a', number), `${time}: ${number} after ${highest}`).to.equal(expected);
      seen.add(number);
      highest = Math.max(highest, number);
    }
  });

  it('remembers the callers that were heard last, of many', () => {
    const window = new ReplayWindow();
    window.accept('first', 1);
    for (let at = 0; at < 200; at++) window.accept(`caller ${at}`, 1);
    expect(window.accept('first', 1)).to.equal(false);
  });
});
