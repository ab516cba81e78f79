/** Bounds of what the browser keeps of forms: size, age and number. */
import { expect } from 'chai';
import { boundedCopies, withoutOld } from '../../plugins/console/app/copies/bounded-copies.ts';
import { BrowserOfTest } from '../support/console/browser-of-test.ts';

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

  it('of any kind and person are removed after thirty days, but no younger one, and none of an open form', async () => {
    for (const [key, daysAgo] of [
      ['ada form new', 29],
      ['ada form old', 31],
      ['ada form open', 31],
      ['ada form of a clock that was wrong', -400],
      ['ada model new', 29],
      ['ada model old', 31],
      ['grace item old', 31],
    ] as const)
      await browser.write(key, copyOf(daysAgo));
    await browser.write('ada item without a time', { at: '', elements: [] });
    browser.open('ada form open');
    const left = await withoutOld(browser).keys();
    expect(left).to.have.members([
      'ada form new',
      'ada form open',
      'ada form of a clock that was wrong',
      'ada model new',
      'ada item without a time',
    ]);
    expect([...browser.stored.keys()]).to.have.members(left);
  });

  it('are not removed where a form has found them meanwhile', async () => {
    await browser.write('ada form old', copyOf(31));
    const read = browser.read.bind(browser);
    browser.read = async <T>(keys: readonly string[]) => {
      browser.open('ada form old');
      return read<T>(keys);
    };
    expect(await withoutOld(browser).keys()).to.deep.equal(['ada form old']);
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
