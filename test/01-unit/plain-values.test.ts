import { expect } from 'chai';
import {
  countText,
  readDateTime,
  readNumber,
  readText,
  TEXT_LIMIT,
  toUrlSlug,
  ValueError,
} from '../../core/model/plain-values.ts';

describe('plain values', () => {
  it('convert dates to UTC without fractions', () => {
    expect(readDateTime('2017-07-04T00:00:00')).to.equal('2017-07-04T00:00:00Z');
    expect(readDateTime('2017-07-04T01:30:00.1234567+02:00')).to.equal('2017-07-03T23:30:00Z');
    expect(readDateTime('2017-07-04')).to.equal('2017-07-04T00:00:00Z');
    expect(readDateTime('0099-01-01T00:00:00Z')).to.equal('0099-01-01T00:00:00Z');
    expect(readDateTime(null)).to.equal(null);
  });

  for (const wrong of [
    '2019-02-30',
    '2019-13-01T00:00:00Z',
    '2019-01-01T24:00:00Z',
    'today',
    '',
    5,
    {},
    '9999-12-31T23:59:59-01:00',
    '2019-01-01T00:00:00+99:00',
    '2019-01-01T00:00:00+12:99',
  ]) {
    it(`refuse ${JSON.stringify(wrong)} as a date`, () => {
      expect(() => readDateTime(wrong)).to.throw(ValueError);
    });
  }

  it('read numbers, also as text', () => {
    expect(readNumber('3.14')).to.equal(3.14);
    expect(readNumber(0.1 + 0.2)).to.equal(0.3);
    expect(Object.is(readNumber(-0), 0)).to.equal(true);
    expect(readNumber('-1e3')).to.equal(-1000);
    expect(readNumber(9_999_999_999)).to.equal(9_999_999_999);
  });

  for (const wrong of ['many', '', ' ', '0x10', 10_000_000_000, Number.NaN, true, [], '1e999']) {
    it(`refuse ${typeof wrong} ${String(wrong)} as a number`, () => {
      expect(() => readNumber(wrong)).to.throw(ValueError);
    });
  }

  it('accept text up to its limit', () => {
    expect(readText('x'.repeat(TEXT_LIMIT))).to.have.length(TEXT_LIMIT);
    expect(() => readText('x'.repeat(TEXT_LIMIT + 1))).to.throw(ValueError);
    // An emoji is one character, though two UTF-16 units.
    expect(readText('😀'.repeat(TEXT_LIMIT))).to.have.length(2 * TEXT_LIMIT);
    expect(() => readText('😀'.repeat(TEXT_LIMIT + 1))).to.throw(ValueError);
    expect(() => readText(`${'😀'.repeat(TEXT_LIMIT)}x`)).to.throw(ValueError);
    expect(() => readText('a\0b')).to.throw(ValueError);
    expect(() => readText(5)).to.throw(ValueError);
  });

  it('make URL slugs of ASCII letters and digits', () => {
    expect(toUrlSlug('  Über Röstung, 2  ')).to.equal('uber-rostung-2');
    expect(toUrlSlug('!?')).to.equal('');
  });

  it('count words and characters', () => {
    expect(countText(' one  two\nthree ', 'words')).to.equal(3);
    expect(countText('one', 'characters')).to.equal(3);
  });
});
