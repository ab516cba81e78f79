/** Lists and full text: what a transaction lists is found, and only that, in every adapter. */
import { expect } from 'chai';
import type { TextPart, TextQuery } from '../../core/storage/full-text.ts';
import { type ListedRows, listedNumber } from '../../core/storage/listed-rows.ts';
import type { Storage } from '../../core/storage/ports.ts';
import { longTest } from '../support/long-form.ts';

const LANGUAGE = 7;
const TYPE = 3;

/** An item in one language, with what is searched of it. */
function listed(
  item: number,
  { name = '', words = '', state = 1, author = null, searched = `${name}|${words}` }: Partial<Texts> = {},
): ListedRows {
  return {
    listed: [
      [
        listedNumber(item, LANGUAGE),
        item,
        LANGUAGE,
        TYPE,
        state,
        name,
        `2024-01-0${item % 9}`,
        author,
        searched === null ? null : 0,
        searched,
      ],
    ],
    searched: searched === null ? [] : [[listedNumber(item, LANGUAGE), searched, name, `${name} ${words}`]],
  };
}

interface Texts {
  readonly name: string;
  readonly words: string;
  readonly state: number;
  readonly author: string | null;
  /** Null: the words stay as they are. */
  readonly searched: string | null;
}

const all = (...words: string[]): TextQuery => ({ phrases: words.map((word) => [word]), isOpen: false });
const phrase = (...words: string[]): TextQuery => ({ phrases: [words], isOpen: false });
const open = (query: TextQuery): TextQuery => ({ ...query, isOpen: true });

export function fullTextSuite(current: () => Storage): void {
  describe('full text', () => {
    let storage: Storage;

    beforeEach(() => {
      storage = current();
    });

    const list = (items: Readonly<Record<number, ListedRows>>) =>
      storage.write(async (tx) => {
        for (const [item, rows] of Object.entries(items)) tx.list(Number(item), rows);
      });
    const find = async (query: TextQuery, within?: TextPart) => {
      const { text, parameters } = storage.sql.matching(query, LANGUAGE, within);
      const rows = await storage.sql.all<{ item: number }>(
        `SELECT r.item AS item FROM (${text}) m JOIN listed r ON r.number = m.number ORDER BY r.item`,
        parameters,
      );
      return rows.map(({ item }) => item);
    };
    const counts = () =>
      storage.sql.all(
        `SELECT language, type, state, count FROM listed_count WHERE author = '' AND count <> 0 ORDER BY state`,
      );
    const countsOf = async (author: string) =>
      (
        await storage.sql.all<{ state: number; count: number }>(
          'SELECT state, count FROM listed_count WHERE author = ? AND count <> 0 ORDER BY state',
          [author],
        )
      ).map(({ state, count }) => [state, count]);

    it('finds all words, the beginning of the last one, and phrases', async () => {
      await list({
        1: listed(1, { name: 'north harbour', words: 'a narrow river crosses the valley' }),
        2: listed(2, { name: 'south bridge', words: 'the river is narrow here' }),
      });
      expect(await find(all('narrow', 'river'))).to.deep.equal([1, 2]);
      expect(await find(all('narrow', 'bridge'))).to.deep.equal([2]);
      expect(await find(all('riv'))).to.deep.equal([]);
      expect(await find(open(all('narrow', 'riv')))).to.deep.equal([1, 2]);
      expect(await find(phrase('narrow', 'river'))).to.deep.equal([1]);
      expect(await find(open(phrase('narrow', 'ri')))).to.deep.equal([1]);
      expect(await find({ phrases: [['the', 'river'], ['south']], isOpen: false })).to.deep.equal([2]);
    });

    it('finds matches of the name apart from those of other words', async () => {
      await list({
        1: listed(1, { name: 'river', words: 'valley' }),
        2: listed(2, { name: 'valley', words: 'river valley' }),
        3: listed(3, { name: 'bridge', words: 'river' }),
      });
      expect(await find(all('river'), 'name')).to.deep.equal([1]);
      expect(await find(all('river'), 'beyond the name')).to.deep.equal([2, 3]);
      expect(await find(all('river', 'valley'), 'name')).to.deep.equal([]);
      expect(await find(open(all('river', 'val')), 'beyond the name')).to.deep.equal([1, 2]);
    });

    it('takes every word as it is', async () => {
      const words = [
        'and',
        'or',
        'not',
        'near',
        'null',
        '1e5',
        '0x1f',
        '007',
        '12ab',
        'm2',
        'ß',
        'œuvre',
        '東',
      ];
      words.push(
        'кириллица',
        'हिन्दी',
        '한국어',
        '𝒳'.normalize('NFKC').toLowerCase(),
        'ab'.repeat(30),
        '😀'.slice(2),
      );
      const some = words.filter((word) => word !== '');
      const rows = Object.fromEntries(some.map((word, at) => [at + 1, listed(at + 1, { words: word })]));
      await list(rows);
      for (const [at, word] of some.entries()) expect(await find(all(word)), word).to.deep.equal([at + 1]);
    });

    it('finds what was listed last, and nothing of what is gone or was undone', async () => {
      await list({ 1: listed(1, { words: 'first' }), 2: listed(2, { words: 'first' }) });
      await list({ 1: listed(1, { words: 'second' }) });
      expect(await find(all('first'))).to.deep.equal([2]);
      expect(await find(all('second'))).to.deep.equal([1]);
      await list({ 2: { listed: [], searched: [] } });
      expect(await find(all('first'))).to.deep.equal([]);
      const undone = storage.write(async (tx) => {
        tx.list(1, listed(1, { words: 'third' }));
        throw new Error('undone');
      });
      await undone.catch(() => {});
      expect(await find(all('second'))).to.deep.equal([1]);
      expect(await counts()).to.deep.equal([{ language: LANGUAGE, type: TYPE, state: 1, count: 1 }]);
    });

    it('keeps words that are not given again, and counts each state', async () => {
      await list({ 1: listed(1, { words: 'kept' }), 2: listed(2, { words: 'kept' }) });
      await list({ 1: listed(1, { state: 4, searched: null }) });
      expect(await find(all('kept'))).to.deep.equal([1, 2]);
      expect(await counts()).to.deep.equal([
        { language: LANGUAGE, type: TYPE, state: 1, count: 1 },
        { language: LANGUAGE, type: TYPE, state: 4, count: 1 },
      ]);
    });

    it('counts each state of each author', async () => {
      await list({ 1: listed(1, { author: 'one' }), 2: listed(2, { author: 'one' }), 3: listed(3) });
      expect(await countsOf('one')).to.deep.equal([[1, 2]]);
      expect(await countsOf('')).to.deep.equal([[1, 3]]);
      await list({
        1: listed(1, { author: 'other', state: 4 }),
        2: listed(2, { author: 'other' }),
        3: listed(3, { author: 'one' }),
      });
      expect(await countsOf('one')).to.deep.equal([[1, 1]]);
      expect(await countsOf('other')).to.deep.equal([
        [1, 1],
        [4, 1],
      ]);
      expect(await countsOf('')).to.deep.equal([
        [1, 2],
        [4, 1],
      ]);
      await list({ 1: { listed: [], searched: [] }, 2: listed(2) });
      expect(await countsOf('other')).to.deep.equal([]);
      expect(await countsOf('')).to.deep.equal([[1, 2]]);
    });

    it('lists an item as the last of the transactions of one commit did', async () => {
      await Promise.all(['first', 'second', 'third'].map((words) => list({ 1: listed(1, { words }) })));
      expect(await find(all('third'))).to.deep.equal([1]);
      expect(await find(all('second'))).to.deep.equal([]);
      expect(await counts()).to.deep.equal([{ language: LANGUAGE, type: TYPE, state: 1, count: 1 }]);
    });

    it('finds the words of an item in more languages than one statement writes', async () => {
      const languages = Array.from({ length: 12 }, (_, at) => 100 + at);
      const words = 'same '.repeat(160_000);
      await list({
        1: {
          listed: languages.map((one) => [
            listedNumber(1, one),
            1,
            one,
            TYPE,
            1,
            '',
            '2024-01-01',
            null,
            0,
            'new',
          ]),
          searched: languages.map((one) => [listedNumber(1, one), 'new', '', `own${one} ${words}`]),
        },
      });
      for (const one of languages) {
        const { text, parameters } = storage.sql.matching(all(`own${one}`), one);
        expect(await storage.sql.all(text, parameters)).to.deep.equal([{ number: listedNumber(1, one) }]);
      }
    });

    longTest('accepts as many words as a text may have, all different, of the longest kind', async () => {
      const words = Array.from({ length: 16_000 }, (_, at) => `${at}${'語'.repeat(50)}`);
      await list({ 1: listed(1, { words: words.join(' ') }) });
      expect(await find(all(words[0] ?? ''))).to.deep.equal([1]);
    });
  });
}
