import { expect } from 'chai';
import { inPieces } from '../../core/turns/in-pieces.ts';

const VALUES = Array.from({ length: 1000 }, (_, at) => at);

describe('statements for many values', () => {
  for (const [each, statements, most] of [
    [1, 3, 1000],
    // One for each language, for example.
    [80, 60, 8000],
  ] as const)
    it(`return at most ${most} rows each, where a value has ${each}`, async () => {
      const returned: number[] = [];
      const rows = await inPieces(VALUES, async (some) => {
        const found = some.flatMap((value) => Array.from({ length: each }, () => value));
        returned.push(found.length);
        return found;
      });
      expect(rows).to.deep.equal(VALUES.flatMap((value) => Array.from({ length: each }, () => value)));
      expect(Math.max(...returned)).to.be.at.most(most);
      expect(returned.length).to.be.at.most(statements);
    });
});
