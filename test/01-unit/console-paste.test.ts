import { expect } from 'chai';
import type { Node } from 'prosemirror-model';
import { AllSelection, EditorState, type Selection, TextSelection } from 'prosemirror-state';
import type { EditorView } from 'prosemirror-view';
import { parseRichText } from '../../core/model/rich-text/parse-rich-text.ts';
import { cleanHtml } from '../../plugins/console/app/rich-text/paste/clean-html.ts';
import { readPlainText } from '../../plugins/console/app/rich-text/paste/markdown.ts';
import { type PasteHost, pastePlugin } from '../../plugins/console/app/rich-text/paste/paste.ts';
import { nodes, schema } from '../../plugins/console/app/rich-text/schema.ts';
import { writeRichText } from '../../plugins/console/app/rich-text/writer.ts';
import type { Clipboard } from '../support/clipboards/clipboard.ts';
import { DOCUMENTS } from '../support/clipboards/documents.ts';
import { PLAIN } from '../support/clipboards/plain.ts';
import { WEB } from '../support/clipboards/web.ts';
import { WORD } from '../support/clipboards/word.ts';
import { hasAllTests } from '../support/long-form.ts';
import { growthOf, isLinear } from '../support/measure/time-per-doubling.ts';
import { Random } from '../support/random/random.ts';
import { randomRichText } from '../support/random/random-rich-text.ts';
import { testSeed } from '../support/random/test-seed.ts';

const ALL: readonly Clipboard[] = [...WORD, ...DOCUMENTS, ...WEB, ...PLAIN];

function read({ html, text = '' }: Pick<Clipboard, 'html' | 'text'>) {
  return html === undefined ? { blocks: readPlainText(text), omitted: new Set<string>() } : cleanHtml(html);
}

function write(blocks: readonly Node[]): string {
  if (blocks.length === 0) return '';
  const doc = nodes.doc.create(null, blocks);
  doc.check();
  return writeRichText(doc);
}

describe('what is pasted into a rich text', () => {
  for (const clipboard of ALL)
    it(clipboard.name, () => {
      const { blocks, omitted } = read(clipboard);
      const html = write(blocks);
      expect(html).to.equal(clipboard.stored);
      expect([...omitted].sort()).to.deep.equal([...(clipboard.omitted ?? [])].sort());
      expect(parseRichText(html).issues).to.deep.equal([]);
    });

  /** Pastes in place of the one paragraph, which is selected. @returns the text afterwards, and what was reported */
  async function pasted(
    data: { readonly html?: string; readonly text?: string; readonly files?: readonly File[] },
    upload = async ({ name }: File) => `asset of ${name}`,
    select = (doc: Node): Selection => new AllSelection(doc),
  ) {
    const reports: string[][] = [];
    const report = (omitted: ReadonlySet<string>) => reports.push([...omitted]);
    const plugin = pastePlugin({ upload, report } as unknown as PasteHost);
    const doc = nodes.doc.create(null, nodes.paragraph.create(null, schema.text('Selected')));
    const view = {
      state: EditorState.create({ doc, selection: select(doc), plugins: [plugin] }),
      editable: true,
      dispatch(transaction: EditorState['tr']) {
        view.state = view.state.apply(transaction);
      },
    };
    const given: Readonly<Record<string, string | undefined>> = {
      'text/html': data.html,
      'text/plain': data.text,
    };
    const clipboardData = { getData: (type: string) => given[type] ?? '', files: data.files ?? [] };
    const event = { clipboardData, preventDefault() {} } as unknown as ClipboardEvent;
    plugin.props.handleDOMEvents?.paste?.call(plugin, view as unknown as EditorView, event);
    await new Promise((resolve) => setTimeout(resolve));
    return { html: writeRichText(view.state.doc), reports };
  }

  const IMAGE = new File(['bytes'], 'image.png', { type: 'image/png' });
  const FIGURE = '<figure data-asset-id="asset of image.png">';

  it('is the image that was copied in a browser, which adds where it comes from', async () => {
    const html = '<meta charset="utf-8"><img src="https://example.org/a.png" alt="A"/>';
    const { html: written, reports } = await pasted({ html, files: [IMAGE] });
    expect(written).to.include(FIGURE);
    expect(reports).to.deep.equal([[], []]);
  });

  it('is the image that was copied in a folder, which adds its name', async () => {
    const { html } = await pasted({ text: 'image.png', files: [IMAGE] });
    expect(html).to.include(FIGURE).and.not.include('image.png</p>');
  });

  it('is the link of the selected text where it is an address', async () => {
    const paste = async (text: string, from: number, to: number) =>
      (await pasted({ text }, undefined, (doc) => TextSelection.create(doc, from, to))).html;
    const address = 'https://example.org/a?b=1&c';
    const link = (text: string) => `<a href="https://example.org/a?b=1&amp;c">${text}</a>`;
    expect(await paste(`${address}\n`, 1, 4)).to.equal(`<p>${link('Sel')}ected</p>`);
    // Where nothing is selected, it is the text too.
    expect(await paste(address, 4, 4)).to.equal(`<p>Sel${link(address.replace('&', '&amp;'))}ected</p>`);
    expect(await paste(`See ${address}`, 1, 9)).to.include('See <a');
  });

  it('leaves what is selected where nothing can be pasted, and says why', async () => {
    const refuse = () => Promise.reject(new Error('There is no connection.'));
    const { html, reports } = await pasted({ files: [IMAGE] }, refuse);
    expect(html).to.equal('<p>Selected</p>');
    expect(reports.at(-1)).to.deep.equal(['failedImages']);
    const sheet = new File(['bytes'], 'sheet.pdf', { type: 'application/pdf' });
    expect((await pasted({ files: [sheet] })).html).to.equal('<p>Selected</p>');
  });

  it('is rich text for whatever is in the clipboard', () => {
    const random = new Random(testSeed());
    const sources = ALL.flatMap(({ html }) => html ?? []);
    for (let count = 0; count < 300; count += 1) {
      const pieces = random.times(1, 4, () => {
        const source = random.pick([random.pick(sources), randomRichText(random, 'odd')]);
        const start = random.int(0, source.length);
        return source.slice(start, start + random.int(0, 400));
      });
      const html = pieces.join('');
      expect(parseRichText(write(cleanHtml(html).blocks)).issues, html).to.deep.equal([]);
      expect(parseRichText(write(readPlainText(html))).issues, html).to.deep.equal([]);
    }
  });

  const shapes: Readonly<Record<string, string>> = {
    'open paragraphs': '<p>',
    'tags without end': '<a "',
    'nested styles': '<b><i>',
    'comments without end': '<!--',
    // In the short form nested styles and paragraphs of a list stand for them.
    ...(hasAllTests && { 'list items': '<li>a', 'nested tables': '<table><tr><td>' }),
    'character references without end': '&#',
    'paragraphs of a list': '<p style="mso-list:l0 level9 lfo1">a</p>',
    'links in brackets': '[a](https://b ',
    'lines of a list': '  - a\n',
  };
  for (const [name, piece] of Object.entries(shapes))
    it(`is read in linear time: ${name}`, async () => {
      const growth = await growthOf(
        (size) => piece.repeat(size),
        (html) => {
          cleanHtml(html);
          readPlainText(html);
        },
        10_000,
      );
      expect(isLinear(growth), JSON.stringify(growth)).to.equal(true);
    });
});
