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
  const copies = () => boundedCopies(browser, (key) => /^(\S+) form /.exec(key)?.[1]);

  it('are removed after thirty days, but not those of other kinds and of open forms', async () => {
    for (const [key, daysAgo] of [
      ['ada form new', 29],
      ['ada form old', 31],
      ['ada form open', 31],
      ['ada item old', 31],
    ] as const)
      await browser.write(key, copyOf(daysAgo));
    browser.open('ada form open');
    expect(await copies().keys()).to.have.members(['ada form new', 'ada form open', 'ada item old']);
    expect([...browser.stored.keys()]).to.have.members(['ada form new', 'ada form open', 'ada item old']);
  });

  it('are fifty of each person at most: the newest', async () => {
    for (let at = 0; at < 60; at += 1) await browser.write(`ada form ${at}`, copyOf(at / 10));
    await browser.write('grace form 1', copyOf(20));
    const newest = Array.from({ length: 50 }, (_, at) => `ada form ${at}`);
    expect(await copies().keys()).to.have.members([...newest, 'grace form 1']);
  });

  it('are refused where they are too long', async () => {
    await copies().write('ada form short', copyOf(0, 'x'.repeat(90_000)));
    const error = await copies()
      .write('ada form long', copyOf(0, 'x'.repeat(110_000)))
      .catch((failure: Error) => failure);
    expect(error).to.be.instanceOf(RangeError);
    expect([...browser.stored.keys()]).to.deep.equal(['ada form short']);
  });
});
