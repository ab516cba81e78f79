import { expect } from 'chai';
import { type ListedRows, listedPieces } from '../../core/storage/listed-rows.ts';

const MOST = 8_000_000;

/** An item in some languages, with words of a length in each. */
function item(number: number, languages: number, length: number): [number, ListedRows] {
  const of = (row: (language: number) => readonly (string | number)[]) =>
    Array.from({ length: languages }, (_, language) => row(language));
  return [
    number,
    {
      listed: of((language) => [number * 100 + language, number]),
      searched: of((language) => [number * 100 + language, 'searched', 'name', 'w'.repeat(length)]),
    },
  ];
}

describe('the rows of items for lists and full text', () => {
  it('are written in pieces of a bounded length, each row once, those of an item after its words', () => {
    const items = [
      item(1, 3, 10),
      item(2, 30, 900_000),
      item(3, 1, 900_000),
      item(4, 2, 10),
      [5, { listed: [], searched: [] }],
    ];
    const pieces = [...listedPieces(new Map(items as [number, ListedRows][]))];
    expect(pieces.length).to.be.within(4, 6);
    const written = new Set<number>();
    for (const { rows } of pieces) {
      for (const [number] of rows.searched) written.add(Number(number));
      for (const [number] of rows.listed) expect(written.has(Number(number))).to.equal(true);
      const length = rows.searched.reduce((sum, row) => sum + String(row[3]).length, 0);
      expect(length).to.be.below(MOST + 1_000_000);
    }
    const numbers = (kind: 'listed' | 'searched') =>
      pieces.flatMap(({ rows }) => rows[kind].map(([number]) => number));
    const all = (kind: 'listed' | 'searched') =>
      (items as [number, ListedRows][]).flatMap(([, rows]) => rows[kind].map(([number]) => number));
    expect(pieces.flatMap(({ items: some }) => some)).to.deep.equal([1, 2, 3, 4, 5]);
    expect(numbers('listed')).to.deep.equal(all('listed'));
    expect(numbers('searched')).to.deep.equal(all('searched'));
  });

  it('are one piece where they are short', () => {
    const items = Array.from({ length: 100 }, (_, at) => item(at + 1, 3, 100));
    expect([...listedPieces(new Map(items))]).to.have.length(1);
    expect([...listedPieces(new Map())]).to.deep.equal([]);
  });
});
