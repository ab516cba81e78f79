/** Bounds of what the browser keeps of forms: size, age and number. */
import { expect } from 'chai';
import { boundedCopies } from '../../plugins/console/app/parts/bounded-copies.ts';
import { BrowserOfTest } from '../support/browser-of-test.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const copyOf = (daysAgo: number, value = 'text') => ({
  at: new Date(Date.now() - daysAgo * DAY_MS).toISOString(),
  elements: [value],
});

describe('copies of forms', () => {
  let browser: BrowserOfTest;
  beforeEach(() => {
    browser = new BrowserOfTest();
  });
  const copies = () => boundedCopies(browser, 'typed ');

  it('are removed after thirty days, but not those of other kinds and of open forms', async () => {
    for (const [key, daysAgo] of [
      ['typed new', 29],
      ['typed old', 31],
      ['typed open', 31],
      ['item old', 31],
    ] as const)
      await browser.write(key, copyOf(daysAgo));
    browser.open('typed open');
    expect(await copies().keys()).to.have.members(['typed new', 'typed open', 'item old']);
    expect([...browser.stored.keys()]).to.have.members(['typed new', 'typed open', 'item old']);
  });

  it('are fifty at most: the newest', async () => {
    for (let at = 0; at < 60; at += 1) await browser.write(`typed ${at}`, copyOf(at / 10));
    const kept = await copies().keys();
    expect(kept).to.have.members(Array.from({ length: 50 }, (_, at) => `typed ${at}`));
  });

  it('are refused where they are too long', async () => {
    await copies().write('typed short', copyOf(0, 'x'.repeat(90_000)));
    const error = await copies()
      .write('typed long', copyOf(0, 'x'.repeat(110_000)))
      .catch((failure: Error) => failure);
    expect(error).to.be.instanceOf(RangeError);
    expect([...browser.stored.keys()]).to.deep.equal(['typed short']);
  });
});
