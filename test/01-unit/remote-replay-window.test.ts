import { expect } from 'chai';
import { ReplayWindow } from '../../core/remote/protocol/replay-window.ts';
import { Random } from '../support/random/random.ts';

const WIDTH = 65_536;
const MILLISECONDS = 120_000;

describe('the replay window', () => {
  it('accepts each number of a caller once, in any order', () => {
    const window = new ReplayWindow(MILLISECONDS);
    const random = new Random(7);
    const numbers = Array.from({ length: 5000 }, (_, at) => at).sort(() => random.int(0, 2) - 1);
    for (const number of numbers) expect(window.accept('a', number, 0)).to.equal(true);
    for (const number of numbers) expect(window.accept('a', number, 0)).to.equal(false);
  });

  it('keeps callers apart', () => {
    const window = new ReplayWindow(MILLISECONDS);
    expect(window.accept('a', 5, 0)).to.equal(true);
    expect(window.accept('b', 5, 0)).to.equal(true);
    expect(window.accept('a', 5, 0)).to.equal(false);
  });

  it('refuses numbers that are too old to know', () => {
    const window = new ReplayWindow(MILLISECONDS);
    expect(window.accept('a', WIDTH + 10, 0)).to.equal(true);
    expect(window.accept('a', 10, 0)).to.equal(false);
    expect(window.accept('a', 11, 0)).to.equal(true);
  });

  it('is right after steps of any length', () => {
    const random = new Random(11);
    const window = new ReplayWindow(MILLISECONDS);
    const seen = new Set<number>();
    let highest = -1;
    for (let time = 0; time < 20_000; time++) {
      const step = random.int(0, 40) === 0 ? random.int(0, 3 * WIDTH) : random.int(0, 50) - 25;
      const number = Math.max(0, highest + step);
      const expected = !seen.has(number) && number > highest - WIDTH;
      expect(window.accept('a', number, 0), `${time}: ${number} after ${highest}`).to.equal(expected);
      seen.add(number);
      highest = Math.max(highest, number);
    }
  });

  it('remembers every caller for the time, however many there are', () => {
    const window = new ReplayWindow(MILLISECONDS);
    window.accept('first', 1, 0);
    for (let at = 0; at < 1000; at++) window.accept(`caller ${at}`, 1, at);
    expect(window.accept('first', 1, MILLISECONDS)).to.equal(false);
    window.accept('another', 1, 2 * MILLISECONDS + 1);
    expect(window.accept('first', 1, 2 * MILLISECONDS + 1)).to.equal(true);
  });
});
