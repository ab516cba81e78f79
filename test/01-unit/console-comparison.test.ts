/** Two versions of a text as removed and inserted words. */
import { expect } from 'chai';
import { compareTokens, type Part, shownParts } from '../../plugins/console/app/history/compare-tokens.ts';
import {
  isLine,
  type Naming,
  readToken,
  type Token,
  tokensOf,
} from '../../plugins/console/app/history/tokens.ts';
import type { ContentModel } from '../../plugins/console/app/screens/item/form-groups.ts';
import type { ManagedElement, ValueDefinition } from '../../plugins/console/app/screens/item/managed.ts';
import { Random } from '../support/random/random.ts';

const base = { codename: 'x', guidelines: null, is_required: false };
const text: ValueDefinition = { ...base, id: 'text', name: 'Text', type: 'text', maximum_text_length: null };
const rich = { ...base, id: 'rich', name: 'Body', type: 'rich_text' } as ValueDefinition;
const model: ContentModel = {
  types: new Map([
    ['teaser', { id: 'teaser', name: 'Teaser', codename: 'teaser', elements: [text], content_groups: [] }],
  ]),
  snippets: new Map(),
  taxonomies: new Map([
    [
      'moods',
      {
        id: 'moods',
        name: 'Moods',
        codename: 'moods',
        terms: [
          {
            id: 'good',
            name: 'Good',
            codename: 'good',
            terms: [{ id: 'glad', name: 'Glad', codename: 'glad', terms: [] }],
          },
        ],
      },
    ],
  ]),
  languages: [],
};
const naming: Naming = {
  model,
  names: new Map([
    ['item-1', 'Harbour'],
    ['asset-1', 'Ship'],
  ]),
  words: {
    line: { h1: 'Heading', li: '•' },
    component: (type) => `Component ${type}`,
    item: (name) => `Item ${name}`,
    picture: (name) => `Picture ${name}`,
    linksTo: (name) => `(→ ${name})`,
  },
};

const value = (given: unknown, more: object = {}) =>
  ({ element: { id: 'x' }, value: given, ...more }) as ManagedElement;
const tokens = (definition: ValueDefinition, given: unknown, more: object = {}) =>
  tokensOf(naming, definition, value(given, more));

/** Lines as `[label]`, words as they are, with their marks in braces. */
function shown(all: readonly Token[]): string {
  return all
    .map(readToken)
    .map(({ line, text, marks }) =>
      line === undefined ? `${text}${marks.length > 0 ? `{${marks.join(' ')}}` : ''}` : `[${line}]`,
    )
    .join('');
}

const compared = (before: readonly Token[], after: readonly Token[]) =>
  compareTokens(before, after).map(({ kind, tokens: run }) => `${kind[0]}:${shown(run)}`);

describe('two versions of an element', () => {
  it('are compared by words, not by letters', () => {
    expect(
      compared(tokens(text, 'The old harbour is open.'), tokens(text, 'The new harbour is open, too.')),
    ).to.deep.equal(['s:The ', 'r:old', 'i:new', 's: harbour is open', 'i:, too', 's:.']);
    expect(compared(tokens(text, 'Straße'), tokens(text, 'Strasse'))).to.deep.equal([
      'r:Straße',
      'i:Strasse',
    ]);
    expect(compared(tokens(text, null), tokens(text, 'new'))).to.deep.equal(['i:new']);
    expect(compared(tokens(text, 'same'), tokens(text, 'same'))).to.deep.equal(['s:same']);
  });

  it('of rich text show lines, formats, and where links lead', () => {
    const before = tokens(rich, '<h1>Tide</h1>\n<p>It is <a data-item-id="item-1">high</a> &amp; dry.</p>');
    const after = tokens(
      rich,
      '<h1>Tide</h1>\n<p>It is <strong>high</strong> &amp; dry.</p><ul><li>now</li></ul>',
    );
    expect(compared(before, after)).to.deep.equal([
      's:[Heading]Tide[][]It is ',
      'r:high{a} (→ Harbour)',
      'i:high{strong}',
      's: & dry.',
      'i:[•]now',
    ]);
  });

  it('name items, pictures and components, and compare what is in these', () => {
    const component = (given: string) => ({
      components: [
        { id: 'c', type: { id: 'teaser' }, elements: [{ element: { id: 'text' }, value: given }] },
      ],
    });
    const html =
      '<object data-type="component" data-id="c"></object><object data-type="item" data-id="item-1"></object>';
    const figure =
      '<figure data-asset-id="asset-1" data-image-id="asset-1"><img src="#" data-asset-id="asset-1" data-image-id="asset-1" alt="At sea"></figure>';
    expect(
      compared(tokens(rich, html, component('one two')), tokens(rich, html + figure, component('one three'))),
    ).to.deep.equal([
      's:[Component Teaser][Text:]one ',
      'r:two',
      'i:three',
      's:[Item Harbour]',
      'i:[Picture Ship]At sea',
    ]);
  });

  it('of references, options and terms are compared by name, one a line', () => {
    const links = { ...base, id: 'l', name: 'Links', type: 'modular_content' } as ValueDefinition;
    const mood = {
      ...base,
      id: 'm',
      name: 'Mood',
      type: 'taxonomy',
      taxonomy_group: { id: 'moods' },
    } as ValueDefinition;
    const refs = (...ids: string[]) => ids.map((id) => ({ id }));
    expect(compared(tokens(links, refs('item-1')), tokens(links, refs('item-1', 'unknown')))).to.deep.equal([
      's:[]Harbour',
      'i:[]unknown',
    ]);
    expect(compared(tokens(mood, refs('glad')), tokens(mood, refs('good')))).to.deep.equal([
      's:[]',
      'r:Glad',
      'i:Good',
    ]);
  });

  it('give both texts back, whatever they are', () => {
    const random = new Random(15);
    const words = ['a', 'b', ' ', 'ä', '.', '\n', '<', 'word'];
    for (let round = 0; round < 300; round++) {
      const make = () => Array.from({ length: random.int(0, 59) }, () => random.pick(words)).join('');
      const [before, after] = [tokens(text, make()), tokens(text, make())];
      const parts = compareTokens(before, after);
      const side = (without: Part['kind']) =>
        parts.filter(({ kind }) => kind !== without).flatMap(({ tokens: run }) => run);
      expect(side('inserted')).to.deep.equal(before);
      expect(side('removed')).to.deep.equal(after);
    }
  });

  it('that are very long or very different are compared by lines, or as wholes', () => {
    const line = (at: number) => `word${at} and ${'more '.repeat(20)}\n`;
    const lines = Array.from({ length: 3000 }, (_, at) => line(at));
    const before = tokens(text, lines.join(''));
    expect(before.filter(isLine)).to.have.length.above(2900);
    const after = tokens(text, [`first${line(0)}`, ...lines.slice(1, 2999), `last${line(1)}`].join(''));
    const parts = compareTokens(before, after);
    expect(parts.length).to.be.within(2, 10);
    // Every word is another one.
    const other = (name: string) =>
      tokens(text, Array.from({ length: 3000 }, (_, at) => `${name}${at}`).join(' '));
    expect(compareTokens(other('a'), other('b')).map(({ kind }) => kind)).to.deep.equal([
      'removed',
      'inserted',
    ]);
  });

  it('show unchanged text only around what changed, and a bounded amount of it', () => {
    const long = 'word '.repeat(2000);
    const parts = shownParts(
      compareTokens(tokens(text, `${long}old ${long}`), tokens(text, `${long}new ${long}`)),
    );
    const count = parts.reduce((sum, part) => sum + part.tokens.length, 0);
    expect(count).to.be.below(300);
    expect(parts.reduce((sum, { hidden }) => sum + hidden, count)).to.equal(2 * 4000 + 3);
    const inserted = shownParts(compareTokens([], tokens(text, long.repeat(5))));
    expect(inserted[0]?.tokens.length).to.equal(4000);
  });
});
