import { expect } from 'chai';
import { undo } from 'prosemirror-history';
import { type Node, type NodeType, Slice } from 'prosemirror-model';
import { AllSelection, type Command, EditorState, TextSelection } from 'prosemirror-state';
import { CANONICAL_EMPTY_RICH_TEXT } from '../../core/model/rich-text/canonical.ts';
import {
  isAllowedAttribute,
  isAllowedTag,
  mayHold,
  mayHoldText,
  ROOT,
} from '../../core/model/rich-text/grammar.ts';
import { parseRichText, writeRichText as write } from '../../core/model/rich-text/parse-rich-text.ts';
import {
  insertBlock,
  insertBreak,
  linkAt,
  setLevel,
  setLink,
  toggleStyle,
} from '../../plugins/console/app/rich-text/block-commands.ts';
import { editorPlugins, KEYS } from '../../plugins/console/app/rich-text/editor-plugins.ts';
import { keptSelection } from '../../plugins/console/app/rich-text/kept-selection.ts';
import { liftItem, sinkItem, toggleList } from '../../plugins/console/app/rich-text/list-commands.ts';
import { NotReadable, type ReadDocument, readRichText } from '../../plugins/console/app/rich-text/reader.ts';
import { marks, nodes, schema } from '../../plugins/console/app/rich-text/schema.ts';
import { insertTable, tableCommands } from '../../plugins/console/app/rich-text/table-commands.ts';
import { tidyRuns } from '../../plugins/console/app/rich-text/tidy-runs.ts';
import { writeRichText } from '../../plugins/console/app/rich-text/writer.ts';
import { isLongForm, longTest } from '../support/long-form.ts';
import { Random } from '../support/random/random.ts';
import { type RichTextStyle, randomRichText } from '../support/random/random-rich-text.ts';
import { testSeed } from '../support/random/test-seed.ts';

const DOCUMENTS = isLongForm ? 100_000 : 1_000;
const EDITED = isLongForm ? 3_000 : 200;
const EDITS = 8;
const ID = '22222222-2222-4222-8222-222222222222';

const STYLES: readonly RichTextStyle[] = ['odd', 'tidy'];
const seed = testSeed();
const place = (number: number) => `seed ${seed}, document ${number}`;

/** What the service stores for a text; no issues are expected. */
function stored(html: string, what: string): string {
  const parsed = parseRichText(html);
  expect(parsed.issues, `${what}\n${html}`).to.deep.equal([]);
  return write(parsed, ({ to }) => to.id ?? ID);
}

function open({ doc }: ReadDocument): EditorState {
  return EditorState.create({ doc, plugins: editorPlugins() });
}

function run(state: EditorState, command: Command): EditorState {
  let next = state;
  command(state, (tr) => {
    next = state.apply(tr);
  });
  return next;
}

/** A position where text can be typed; undefined in a document of figures and objects. */
function textPosition(doc: Node, random: Random): number | undefined {
  const found: number[] = [];
  doc.descendants((node, at) => {
    if (node.isTextblock)
      for (let inside = 0; inside <= node.content.size; inside += 1) found.push(at + 1 + inside);
    return !node.isTextblock;
  });
  return found.length === 0 ? undefined : random.pick(found);
}

/** The bytes of each block of the document, with the white space in front of it. */
function blocks({ doc, sources }: ReadDocument): string[] {
  return doc.children.map((node) => {
    const source = sources.of.get(node);
    return `${source?.before}${source?.html}`;
  });
}

describe('rich text in the editor', () => {
  for (const style of STYLES)
    it(`opens and saves ${style} documents without an edit: byte-identical`, function () {
      this.slow(60_000);
      const random = new Random(seed);
      for (let number = 0; number < DOCUMENTS / 2; number += 1) {
        const html = randomRichText(random, style);
        const read = readRichText(html);
        expect(writeRichText(read.doc, read.sources), place(number)).to.equal(html);
        // Nothing of meaning is lost where it is written anew.
        const anew = stored(writeRichText(read.doc), place(number));
        const isEqual = anew === CANONICAL_EMPTY_RICH_TEXT || readRichText(anew).doc.eq(read.doc);
        expect(isEqual, `${place(number)}\n${html}\n${anew}`).to.equal(true);
      }
    });

  for (const style of STYLES)
    it(`keeps the bytes of all other blocks of ${style} documents when a letter is typed, and all after undo`, function () {
      this.slow(60_000);
      const random = new Random(seed + 1);
      let edited = 0;
      for (let number = 0; number < DOCUMENTS / 2; number += 1) {
        const html = randomRichText(random, style);
        const read = readRichText(html);
        const at = textPosition(read.doc, random);
        if (at === undefined) continue;
        edited += 1;
        const before = open(read);
        const after = before.apply(before.tr.insertText('x', at));
        const index = read.doc.resolve(at).index(0);
        const expected = blocks(read);
        const written = writeRichText(after.doc, read.sources);
        const [head, tail] = [expected.slice(0, index).join(''), expected.slice(index + 1).join('')];
        expect(written.startsWith(head.trimStart()), place(number)).to.equal(true);
        expect(written.endsWith(tail), place(number)).to.equal(true);
        expect(written, place(number)).not.to.equal(html);
        expect(
          readRichText(stored(written, place(number))).doc.eq(after.doc),
          `${place(number)}\n${html}\n${written}`,
        ).to.equal(true);
        expect(writeRichText(run(after, undo).doc, read.sources), place(number)).to.equal(html);
      }
      expect(edited).to.be.greaterThan(DOCUMENTS / 4);
    });

  it('writes what the service accepts and what reads back equal after random edits', function () {
    this.slow(60_000);
    const random = new Random(seed + 2);
    const counts = new Map<string, number>();
    for (let number = 0; number < EDITED; number += 1) {
      const read = readRichText(randomRichText(random, random.pick(STYLES)));
      let state = open(read);
      const done: string[] = [];
      for (let count = 0; count < EDITS; count += 1) {
        const [from, to] = [textPosition(state.doc, random), textPosition(state.doc, random)];
        if (from === undefined || to === undefined) break;
        const [head, ends] = [Math.min(from, to), random.chance(0.5) ? from : Math.max(from, to)];
        state = state.apply(
          state.tr.setSelection(
            TextSelection.between(state.doc.resolve(head), state.doc.resolve(Math.max(head, ends))),
          ),
        );
        const [name, edit] = random.pick(Object.entries(EDITS_OF(random)));
        done.push(`${name} ${head}-${ends}`);
        const next = run(state, edit);
        if (next.doc !== state.doc) counts.set(name, (counts.get(name) ?? 0) + 1);
        state = next;
        state.doc.check();
      }
      const tidy = state.apply(tidyRuns(state.tr));
      const html = writeRichText(tidy.doc, read.sources);
      const what = `${place(number)}: ${done.join(', ')}`;
      expect(stored(html, what), what).to.equal(html);
      // A line break alone is how the service spells an empty text.
      if (html === CANONICAL_EMPTY_RICH_TEXT) continue;
      expect(readRichText(html).doc.toString(), what).to.equal(tidy.doc.toString());
      expect(readRichText(html).doc.eq(tidy.doc), what).to.equal(true);
    }
    // Each kind of edit changed something.
    expect([...counts.keys()].sort()).to.deep.equal(Object.keys(EDITS_OF(random)).sort());
  });

  it('gives equal blocks that were written differently their own bytes after undo', () => {
    const html =
      '<p><em><strong>a</strong></em></p>\n<p><strong><em>a</em></strong></p> <p><em></em><strong><em>a</em></strong></p>';
    const read = readRichText(html);
    for (let index = 0; index < 3; index += 1) {
      const state = open(read);
      const after = state.apply(state.tr.insertText('x', 2 + 3 * index));
      expect(writeRichText(run(after, undo).doc, read.sources)).to.equal(html);
    }
  });

  for (const html of [
    '<p>a',
    'a',
    '<p>a</p>b',
    '<p><b>a</b></p>',
    '<ul>a</ul>',
    '<h1><p>a</p></h1>',
    '<p a=b>c</p>',
    '<p>a</h1>',
    '<h5>a</h5>',
  ])
    it(`does not open ${html}, which the service never stores`, () => {
      expect(() => readRichText(html)).to.throw(NotReadable);
    });

  it('keeps the caret beside the same text where another document takes the place of its own', () => {
    const state = open(readRichText('<p>one</p><p>two three</p>'));
    const caretIn = (html: string, before: string) => {
      let at = 0;
      state.doc.descendants((node, position) => {
        if (node.isText && node.text?.includes(before)) at = position + node.text.indexOf(before);
      });
      const put = state.apply(state.tr.setSelection(TextSelection.create(state.doc, at)));
      const { parent, parentOffset } = keptSelection(put, readRichText(html).doc).$head;
      return parent.textContent.slice(parentOffset);
    };
    expect(caretIn('<p>one</p><p>two three</p>', 'three')).to.equal('three');
    expect(caretIn('<p>one and more</p><p>two three</p>', 'three')).to.equal('three');
    expect(caretIn('<p>one</p><p>two three, four</p>', 'three')).to.equal('three, four');
    expect(caretIn('<p>new</p><p>one</p><p>two three</p>', 'three')).to.equal('three');
    expect(caretIn('<p>one</p><p>two</p>', 'ree')).to.equal('');
    expect(caretIn('<p><br></p>', 'ree')).to.equal('');
  });

  describe('on several items of a list', () => {
    /** Applies a command to the text from one word to another, and shows what is selected then. */
    function applied(html: string, from: string, to: string, command: Command): [string, string] {
      const state = open(readRichText(html));
      const at = (word: string) => {
        let found = 0;
        state.doc.descendants((node, position) => {
          if (node.isText && node.text === word) found = position;
        });
        return found;
      };
      const selection = TextSelection.create(state.doc, at(from), at(to) + to.length);
      const { doc, selection: after } = run(state.apply(state.tr.setSelection(selection)), command);
      return [writeRichText(doc), doc.textBetween(after.from, after.to, ' ')];
    }
    const four = '<ul><li>a</li><li>b</li><li>c</li><li>d</li></ul>';
    const nested = '<ul><li>a<ul><li>b</li><li>c</li><li>d</li></ul></li><li>e</li></ul>';

    it('Tab moves all of them', () => {
      expect(applied(four, 'b', 'c', sinkItem)).to.deep.equal([
        '<ul><li>a<ul><li>b</li><li>c</li></ul></li><li>d</li></ul>',
        'b c',
      ]);
      expect(
        applied('<ul><li>a<ul><li>b</li></ul></li><li>c</li><li>d</li></ul>', 'c', 'd', sinkItem),
      ).to.deep.equal(['<ul><li>a<ul><li>b</li><li>c</li><li>d</li></ul></li></ul>', 'c d']);
    });

    it('Shift+Tab moves all of them', () => {
      expect(applied(nested, 'b', 'c', liftItem)).to.deep.equal([
        '<ul><li>a</li><li>b</li><li>c<ul><li>d</li></ul></li><li>e</li></ul>',
        'b c',
      ]);
    });

    it('the button of the list makes all of them paragraphs', () => {
      const bullets = toggleList(nodes.bullet_list);
      expect(applied(four, 'b', 'c', bullets)).to.deep.equal([
        '<ul><li>a</li></ul><p>b</p><p>c</p><ul><li>d</li></ul>',
        'b c',
      ]);
      expect(applied(nested, 'd', 'e', bullets)).to.deep.equal([
        '<p>a</p><ul><li>b</li><li>c</li><li>d</li></ul><p>e</p>',
        'd e',
      ]);
      const state = open(readRichText(four));
      const all = run(state.apply(state.tr.setSelection(new AllSelection(state.doc))), bullets);
      expect(writeRichText(all.doc)).to.equal('<p>a</p><p>b</p><p>c</p><p>d</p>');
    });
  });

  it('has a link at a cursor on both of its ends, and none at the text that follows it', () => {
    const state = open(readRichText('<p><a href="https://example.org">one</a> two</p>'));
    const at = (from: number, to = from) =>
      linkAt(state.apply(state.tr.setSelection(TextSelection.create(state.doc, from, to))))?.attributes
        .target;
    expect([at(1), at(4), at(2, 6)]).to.deep.equal(Array.from({ length: 3 }, () => 'https://example.org'));
    expect([at(4, 8), at(5), at(5, 8)]).to.deep.equal(Array.from({ length: 3 }, () => undefined));
  });

  longTest('opens a paragraph of a megabyte', () => {
    const html = `<p>${'a &amp; b <strong>c</strong> '.repeat(40_000)}</p>`;
    const read = readRichText(html);
    const state = open(read);
    const after = state.apply(state.tr.insertText('x', 1));
    expect(writeRichText(after.doc, read.sources).length).to.equal(html.length + 1);
  });
});

/** One of each kind of edit. */
function EDITS_OF(random: Random): Readonly<Record<string, Command>> {
  const figure = nodes.figure.create({ asset: ID, description: random.pick([null, 'A "view"']) });
  const object = nodes.object.create({ kind: 'item', id: ID });
  const press = (key: string): Command => KEYS[key] as Command;
  return {
    type: (state, dispatch) => {
      dispatch?.(state.tr.insertText(random.pick(['a', ' ', '<&>"', '\u00a0', 'é😀'])));
      return true;
    },
    delete: (state, dispatch) => {
      dispatch?.(state.tr.deleteSelection());
      return true;
    },
    style: toggleStyle(random.pick(['strong', 'em', 'sup', 'sub', 'code'])),
    level: setLevel(random.int(0, 4)),
    enter: press('Enter'),
    split: (state, dispatch) => {
      dispatch?.(state.tr.split(state.selection.from));
      return true;
    },
    break: insertBreak,
    list: toggleList(random.pick([nodes.ordered_list, nodes.bullet_list])),
    sink: sinkItem,
    lift: liftItem,
    link: setLink(
      { kind: 'web', target: 'https://example.org/?a&b', subject: null, newWindow: null, title: null },
      'link',
    ),
    figure: insertBlock(figure),
    object: insertBlock(object),
    table: insertTable,
    column: random.pick([
      tableCommands.addColumnAfter,
      tableCommands.addColumnBefore,
      tableCommands.deleteColumn,
    ]),
    row: random.pick([tableCommands.addRowAfter, tableCommands.addRowBefore, tableCommands.deleteRow]),
    removeTable: tableCommands.deleteTable,
    paste: (state, dispatch) => {
      const other = readRichText(randomRichText(random, 'odd')).doc;
      dispatch?.(state.tr.replaceSelection(Slice.maxOpen(other.content)));
      return true;
    },
  };
}

describe('schema of the editor and grammar of the service', () => {
  const TAGS: Readonly<Record<string, NodeType>> = {
    [ROOT]: nodes.doc,
    p: nodes.paragraph,
    ...Object.fromEntries([1, 2, 3, 4].map((level) => [`h${level}`, nodes.heading])),
    ol: nodes.ordered_list,
    ul: nodes.bullet_list,
    li: nodes.list_item,
    table: nodes.table,
    tbody: nodes.table_body,
    tr: nodes.table_row,
    td: nodes.table_cell,
    figure: nodes.figure,
    object: nodes.object,
    br: nodes.line_break,
  };
  const MARKS: Readonly<Record<string, string>> = {
    a: 'link',
    strong: 'strong',
    em: 'em',
    sup: 'sup',
    sub: 'sub',
    code: 'code',
  };
  const tags = [...Object.keys(TAGS), ...Object.keys(MARKS), 'img'];

  /** Whether a node of the type may have a child of a type anywhere in its content. */
  function holds(parent: NodeType, child: NodeType): boolean {
    const seen = new Set([parent.contentMatch]);
    for (const match of seen) {
      for (let edge = 0; edge < match.edgeCount; edge += 1) {
        const { type, next } = match.edge(edge);
        if (type === child) return true;
        seen.add(next);
      }
    }
    return false;
  }

  function permits(parent: string, child: string): boolean {
    const type = TAGS[parent];
    const mark = MARKS[child];
    // A figure has exactly one image, and both are one node.
    if (parent === 'figure') return child === 'img';
    const textblock = type && (type.isTextblock ? type : holds(type, nodes.run) ? nodes.run : undefined);
    if (mark !== undefined) {
      const outer = MARKS[parent];
      // A style in itself is that style; a link in a link is none.
      if (outer !== undefined)
        return outer !== mark ? !marks[outer as 'link'].excludes(marks[mark as 'link']) : mark !== 'link';
      return textblock?.allowsMarkType(schema.marks[mark] as never) ?? false;
    }
    const inner = TAGS[child];
    if (MARKS[parent] !== undefined) return child === 'br';
    if (!type || !inner) return false;
    return holds(type, inner) || (child === 'br' && textblock !== undefined);
  }

  it('are of the same tags', () => {
    for (const tag of tags) if (tag !== ROOT) expect(isAllowedTag(tag), tag).to.equal(true);
    const known = new Set([...Object.values(TAGS), nodes.run, nodes.text]);
    expect(
      Object.values(nodes)
        .filter((type) => !known.has(type))
        .map(({ name }) => name),
    ).to.deep.equal([]);
    expect(Object.keys(marks).sort()).to.deep.equal(Object.values(MARKS).sort());
    for (let code = 0; code < 26; code += 1)
      for (const tag of [
        String.fromCharCode(97 + code),
        `h${code}`,
        'div',
        'span',
        'thead',
        'th',
        'u',
        's',
        'pre',
        'blockquote',
      ])
        if (isAllowedTag(tag)) expect(tags).to.include(tag);
  });

  it('permit the same children in each tag', () => {
    for (const parent of tags)
      for (const child of tags)
        if (child !== ROOT)
          expect(permits(parent, child), `<${child}> in <${parent}>`).to.equal(mayHold(parent, child));
  });

  it('permit text in the same tags', () => {
    for (const [tag, type] of Object.entries(TAGS))
      expect(type.isTextblock || holds(type, nodes.run), tag).to.equal(mayHoldText(tag));
  });

  it('keep the same attributes', () => {
    const id = ID;
    const links = [
      'href="/a"',
      `data-item-id="${id}"`,
      `data-asset-id="${id}"`,
      'data-email-address="a@b.c" data-email-subject="s"',
    ];
    const rest = 'data-new-window="true" title="t" target="_blank" rel="noopener"';
    const texts = [
      ...links.map((to) => `<p><a ${to} ${rest}>a</a></p>`),
      `<figure data-asset-id="${id}"><img src="x" alt="b" data-asset-id="${id}"></figure>`,
      `<object type="application/service" data-type="item" data-rel="link" data-id="${id}"></object>`,
    ];
    for (const text of texts) {
      const html = stored(text, text);
      const written = writeRichText(readRichText(html).doc);
      expect(written).to.equal(html);
      for (const [, tag = '', attributes = ''] of written.matchAll(/<(\w+)((?: [a-z-]+="[^"]*")+)/g))
        for (const [, name = ''] of attributes.matchAll(/ ([a-z-]+)=/g))
          expect(isAllowedAttribute(tag, name), `${name} of <${tag}>`).to.equal(true);
    }
    // Management adds the media type to objects.
    const managed = `<object type="application/service" data-type="component" data-id="${id}"></object>`;
    expect(writeRichText(readRichText(managed).doc)).to.equal(managed);
  });
});
