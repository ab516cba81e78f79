/** Long JSON is read and written in pieces: to the value of JSON.parse, to the text of JSON.stringify. */
import { expect } from 'chai';
import { readJson } from '../../core/json-body/read-json.ts';
import { jsonBytes, jsonText } from '../../core/turns/json-bytes.ts';

/** Characters of a string, and blanks, that are read at once. */
const PIECE = 65_536;

/** What may be at the end of one piece and the start of the next. */
const UNITS = ['x', 'ж', '\u{1f600}', '\\u0041', '\\ud83d\\ude00', '\\"', '\\\\', '\\n', '\\/'];

async function check(text: string): Promise<void> {
  const read = await readJson(text);
  expect('value' in read, text.slice(0, 100)).to.equal(true);
  expect('value' in read && JSON.stringify(read.value) === JSON.stringify(JSON.parse(text))).to.equal(true);
}

describe('JSON that is read in pieces', () => {
  it('has the strings of the text, whatever is at the end of a piece', async () => {
    for (const unit of UNITS)
      for (let before = PIECE - 13; before <= PIECE + 1; before += 1) {
        const string = `"${'a'.repeat(before)}${unit.repeat(3)}b"`;
        await check(string);
        await check(`{"a":[${string},1],${string}:${string},"z":"\\"${'b'.repeat(60)}"}`);
      }
    for (const unit of UNITS) await check(`["${unit.repeat(PIECE)}","${unit.repeat(40)}",{"a":"${unit}"}]`);
  });

  it('has the values with many blanks in between', async () => {
    for (const count of [PIECE - 1, PIECE, PIECE + 1, PIECE + 2, PIECE + 3, 3 * PIECE]) {
      const blanks = ' \n\t\r'.repeat(count / 4 + 1).slice(0, count);
      await check(
        ['', '{', '"a"', ':', '[', '1', ',', '{', '}', ',', '"b"', ']', ',', '""', ':', 'null', '}', ''].join(
          blanks,
        ),
      );
    }
  });

  it('is refused where a string does not end, or has what is no character', async () => {
    const long = 'a'.repeat(PIECE);
    for (const text of [
      `"${long}`,
      `"${long}\\`,
      `"${long}\\"`,
      `"${long}\\u004"`,
      `"${long}\\x"`,
      `"${long}\n"`,
      `{"${long}${long}"}`,
      `{"${long}":1,"b"${' '.repeat(PIECE + 3)}1}`,
      `[1${' '.repeat(PIECE + 3)}2]`,
    ])
      expect(await readJson(text), text.slice(-20)).to.have.property('issue');
    for (const half of ['\\ud83d', '\\ude00', '\\ude00\\ud83d'])
      for (let before = PIECE - 13; before <= PIECE + 1; before += 1)
        for (const behind of ['', 'b', long])
          expect(await readJson(`"${'a'.repeat(before)}${half}${behind}"`)).to.have.nested.property(
            'issue.message',
            'A string holds half of a surrogate pair.',
          );
  });

  it('is refused where a name occurs twice, or a number has thousands of digits', async () => {
    const name = `"${'a'.repeat(2 * PIECE)}"`;
    const twice = await readJson(`{${name}:1,"b":2,${name}:3}`);
    expect(twice)
      .to.have.nested.property('issue.message')
      .that.matches(/given twice/);
    for (const number of ['1'.repeat(1001), `-0.${'0'.repeat(1001)}`, `1e${'0'.repeat(1001)}`])
      expect(await readJson(`[${number}]`)).to.have.nested.property(
        'issue.message',
        'A number has more than 1000 digits.',
      );
    await check(`[${'1'.repeat(300)},-0.${'1'.repeat(1000)},1e-${'0'.repeat(990)}1]`);
  });

  it('is refused where an object has more than 10,000 properties', async () => {
    const object = (count: number) =>
      `{${Array.from({ length: count }, (_, index) => `"p${index}":0`).join()}}`;
    await check(`{"a":${object(9_999)},"b":[${object(10_000)},{"c":${object(10_000)}}]}`);
    const before = `{"a":${object(10_000)},"b":`;
    expect(await readJson(`${before}${object(10_001)}}`)).to.deep.equal({
      issue: {
        message: 'An object has more than 10000 properties.',
        line: 1,
        position: before.length + object(10_000).length + 1,
      },
    });
  });
});

describe('JSON that is written in pieces', () => {
  const long = 'é"\\\u{1f600}\n'.repeat(20_000);
  const values: readonly unknown[] = [
    null,
    [],
    {},
    long,
    [long, 1, undefined, [long, [long]], {}, new Date(0)],
    [[], [[]], { a: undefined }, long, undefined],
    { a: long, b: undefined, 'c"': [long], d: new Date(0), e: null, f: {} },
    Array.from({ length: 5000 }, (_, index) => [index, 'x'.repeat(index % 70), null, { a: [index] }]),
    Array(50_000).fill(undefined),
    Array(3).fill(Array(30_000).fill('abc')),
    Array.from({ length: 20 }, (_, index) => 'x'.repeat(PIECE - 10 + index)),
  ];

  it('is the text that JSON.stringify gives', async () => {
    for (const [index, value] of values.entries()) {
      const expected = JSON.stringify(value);
      expect((await jsonText(value)) === expected, `text of value ${index}`).to.equal(true);
      const bytes = Buffer.concat(await jsonBytes(value));
      expect(bytes.equals(Buffer.from(expected)), `bytes of value ${index}`).to.equal(true);
    }
  });
});
