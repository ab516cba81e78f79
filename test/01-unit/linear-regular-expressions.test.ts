/** Every regular expression of the product takes linear time for any text. */
import { expect } from 'chai';
import { mainThreadCpu } from '../support/measure/cpu.mjs';
import { leastOf } from '../support/measure/least-of.ts';
import { attacks, type FoundExpression, regularExpressions } from '../support/measure/regular-expressions.ts';

/** A quadratic one takes a tenth of a second or more for so many characters, a linear one less than a millisecond. */
const LENGTH = 16_384;
const MOST_MILLISECONDS = 25;

describe('regular expressions', () => {
  let all: readonly FoundExpression[];
  before(async () => {
    all = await regularExpressions();
  });

  it('are found in the sources', () => {
    expect(all.length).to.be.greaterThan(120);
    const sources = all.map(({ expression }) => expression.source);
    expect(sources).to.include('^[\\x21-\\x7e]+$').and.to.include('[&<>"]');
  });

  it('take linear time for texts that are made for them', async () => {
    const slow: string[] = [];
    for (const { file, expression } of all) {
      for (const attack of attacks(expression, LENGTH)) {
        if (!isSlow(expression, attack)) continue;
        const { milliseconds } = await leastOf(MOST_MILLISECONDS, async () => timed(expression, attack));
        if (milliseconds < MOST_MILLISECONDS) continue;
        slow.push(`${file}: ${expression} for ${JSON.stringify(attack.slice(0, 30))}…`);
        break;
      }
    }
    expect(slow).to.deep.equal([]);
  });

  it('that take more time are detected', () => {
    for (const expression of [/^(a+)+$/, /\s*$/, /^\s*bytes\s*=\s*(\d*)\s*-/, /<[^>]*>/g]) {
      const length = expression.source.startsWith('^(a+') ? 24 : LENGTH;
      const isNoticed = [...attacks(expression, length)].some((text) => isSlow(expression, text));
      expect(isNoticed, String(expression)).to.equal(true);
    }
  });
});

function isSlow(expression: RegExp, text: string): boolean {
  for (let tries = 0; tries < 3; tries++) {
    if (timed(expression, text).milliseconds < MOST_MILLISECONDS) return false;
  }
  return true;
}

/** CPU time of one use. */
function timed(expression: RegExp, text: string): { milliseconds: number } {
  const started = mainThreadCpu();
  if (expression.global) text.replaceAll(expression, '');
  else expression.test(text);
  expression.lastIndex = 0;
  return { milliseconds: mainThreadCpu() - started };
}
