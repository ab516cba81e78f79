import { expect } from 'chai';
import fc from 'fast-check';
import { CANONICAL_EMPTY_RICH_TEXT } from '../../core/model/rich-text/canonical.ts';
import { componentCodename } from '../../core/model/rich-text/component-codename.ts';
import {
  parseLongRichText,
  parseRichText,
  type RichTextPlaceholder,
  writeRichText,
} from '../../core/model/rich-text/parse-rich-text.ts';
import { richTextReferences } from '../../core/model/rich-text/references.ts';
import { type RichTextLookup, toDelivery } from '../../core/model/rich-text/to-delivery.ts';
import { toManagement } from '../../core/model/rich-text/to-management.ts';

const ITEM = '11111111-1111-4111-8111-111111111111';
const ASSET = '22222222-2222-4222-8222-222222222222';
const COMPONENT = '3333abcd-3333-4333-8333-333333333333';

const idOf = (placeholder: RichTextPlaceholder) =>
  placeholder.to.id ?? (placeholder.kind === 'asset' ? ASSET : ITEM);

function canonical(html: string): string {
  const parsed = parseRichText(html);
  expect(parsed.issues).to.deep.equal([]);
  return writeRichText(parsed, idOf);
}

const lookup: RichTextLookup = {
  mediaType: 'service',
  itemCodename: (id) => (id === ITEM ? 'an_item' : undefined),
  componentCodename,
  asset: (id) =>
    id === ASSET ? { url: 'https://assets/p/f/n.png?a=1&b=2', description: 'A "view"' } : undefined,
};

describe('rich text as input', () => {
  for (const empty of ['', '   ', '<p></p>', '<p><br></p>', '<p><br/></p>', '<p><br /></p>']) {
    it(`is the empty paragraph for ${JSON.stringify(empty)}`, () => {
      expect(canonical(empty)).to.equal(CANONICAL_EMPTY_RICH_TEXT);
    });
  }

  const forms: readonly [what: string, html: string, stored: string][] = [
    [
      'keeps allowed markup',
      '<h1>a</h1><p><strong>b</strong><em>c</em></p>',
      '<h1>a</h1><p><strong>b</strong><em>c</em></p>',
    ],
    ['trims and turns CR LF into LF', ' <p>a</p>\r\n<p>b</p> ', '<p>a</p>\n<p>b</p>'],
    ['closes what is open', '<ul><li>a<li>b</ul><p>c', '<ul><li>a</li><li>b</li></ul><p>c</p>'],
    ['writes names in lower case', '<P>a<BR>b</P>', '<p>a<br/>b</p>'],
    ['escapes text', '<p>a & b &lt; c &nbsp;"d"</p>', '<p>a &amp; b &lt; c &nbsp;"d"</p>'],
    [
      'puts rows into a body',
      '<table><tr><td>a</td></tr></table>',
      '<table><tbody><tr><td>a</td></tr></tbody></table>',
    ],
    ['drops comments', '<p>a<!-- b -->c</p>', '<p>ac</p>'],
    [
      'gives a bare address a scheme',
      '<p><a href="example.org">a</a></p>',
      '<p><a href="http://example.org">a</a></p>',
    ],
    [
      'makes scripts in addresses harmless',
      '<p><a href="javascript:alert(1)">a</a></p>',
      '<p><a href="http://javascript:alert(1)">a</a></p>',
    ],
    [
      'keeps known addresses',
      '<p><a href="/a?b#c" title="t">a</a></p>',
      '<p><a href="/a?b#c" title="t">a</a></p>',
    ],
    [
      'names linked items by id',
      '<p><a data-item-external-id="x">a</a></p>',
      `<p><a data-item-id="${ITEM}" href="">a</a></p>`,
    ],
    [
      'names assets by id and completes the figure',
      '<figure data-asset-external-id="x"></figure>',
      `<figure data-asset-id="${ASSET}"><img src="#" data-asset-id="${ASSET}"></figure>`,
    ],
    [
      'drops the media type of objects',
      `<object type="application/kenticocloud" data-type="item" data-rel="link" data-codename="x"></object>`,
      `<object data-type="item" data-id="${ITEM}"></object>`,
    ],
    [
      'keeps mail addresses',
      '<p><a data-email-address="a@b.c" data-email-subject="Hi">m</a></p>',
      '<p><a data-email-address="a@b.c" data-email-subject="Hi" href="">m</a></p>',
    ],
    ['trims white space that is written as entities', '&#10;<p> a </p>&nbsp;&#32;', '<p> a </p>'],
    ['is the empty paragraph where nothing else is left', '<p><!-- nothing --></p>', '<p><br/></p>'],
    ['has line feeds for carriage returns', '<p>a\r\nb\rc&#13;\nd</p>', '<p>a\nb\nc\n\nd</p>'],
  ];
  for (const [what, html, stored] of forms) {
    it(what, () => {
      expect(canonical(html)).to.equal(stored);
      expect(canonical(stored), 'a second time').to.equal(stored);
    });
  }

  const refused: readonly [what: string, html: string][] = [
    ['tags outside of the list', '<p><b>x</b></p>'],
    ['scripts', '<script>alert(1)</script>'],
    ['event handlers', '<p onclick="x()">a</p>'],
    ['styles', '<p style="color:red">a</p>'],
    ['text outside of a block', 'hello'],
    ['a block inside a heading', '<h1><ul><li>x</li></ul></h1>'],
    ['an image without its figure', '<p><img src="x"></p>'],
    ['a figure without an asset', '<figure></figure>'],
    ['a link without a target', '<p><a>x</a></p>'],
    ['a link in a link', '<p><a href="/a"><strong><a href="/b">x</a></strong></a></p>'],
    ['objects of another kind', '<object type="application/x-shockwave-flash" data="x"></object>'],
    ['tags nested without end', `<p>${'<em>'.repeat(200)}x`],
  ];
  for (const [what, html] of refused) {
    it(`refuses ${what}`, () => {
      expect(parseRichText(html).issues).to.not.deep.equal([]);
    });
  }

  it('reads a long text, which is parsed in pieces, like a short one', async () => {
    const rest =
      '</p><p>&amp;\u{1f600}&nbsp;<a href="http://a.b/?c&amp;d" title="&quot;e">f</a><br/>\r\n</p><ul>\n<li>g</li>\n</ul>';
    const short = writeRichText(parseRichText(`<p>a${rest}`), idOf);
    for (let length = 32_768 - rest.length - 5; length < 32_770; length += 1) {
      const text = 'a'.repeat(length);
      const parsed = await parseLongRichText(`<p>${text}${rest}`);
      expect(parsed.issues).to.deep.equal([]);
      expect(writeRichText(parsed, idOf) === short.replace('a', text), `${length}`).to.equal(true);
    }
    const refused = await parseLongRichText(
      `<p>${'a'.repeat(40_000)}${'<em>'.repeat(200)}${'b'.repeat(40_000)}`,
    );
    expect(refused.issues).to.deep.equal(['The tags are nested too deep.']);
  });

  it('reads any text without an error', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('<', '>', '/', '"', '=', '&', 'a', 'p', 'l', 'i', ' ', '!', '-', '?'),
        }),
        (html) => {
          const parsed = parseRichText(html);
          if (parsed.issues.length > 0) return;
          const stored = writeRichText(parsed, idOf);
          expect(writeRichText(parseRichText(stored), idOf)).to.equal(stored);
        },
      ),
    );
  });

  it('keeps every text and attribute through the stored form', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
        const stored = canonical(`<p>.${escaped}.<a href="/${escaped}">x</a></p>`);
        expect(canonical(stored)).to.equal(stored);
        const tags = stored.match(/[<>]/g);
        expect(tags).to.have.length(8);
      }),
    );
  });
});

describe('rich text as output', () => {
  it('has line breaks without a slash', async () => {
    expect(await toDelivery(CANONICAL_EMPTY_RICH_TEXT, lookup)).to.equal('<p><br></p>');
  });

  it('has objects with the media type of the vendor and the codename', async () => {
    const stored = canonical(
      `<object data-type="item" data-id="${ITEM}"></object><object data-type="component" data-id="${COMPONENT}"></object>`,
    );
    expect(await toDelivery(stored, lookup)).to.equal(
      '<object type="application/service" data-type="item" data-rel="link" data-codename="an_item"></object>' +
        '<object type="application/service" data-type="item" data-rel="component" data-codename="n3333abcd_3333_4333_8333_333333333333"></object>',
    );
    expect(toManagement(stored, 'service')).to.equal(
      `<object type="application/service" data-type="item" data-id="${ITEM}"></object>` +
        `<object type="application/service" data-type="component" data-id="${COMPONENT}"></object>`,
    );
  });

  it('has figures with the address and description of the asset', async () => {
    expect(await toDelivery(canonical(`<figure data-asset-id="${ASSET}"></figure>`), lookup)).to.equal(
      `<figure data-asset-id="${ASSET}" data-image-id="${ASSET}"><img src="https://assets/p/f/n.png?a=1&amp;b=2" ` +
        `data-asset-id="${ASSET}" data-image-id="${ASSET}" alt="A &quot;view&quot;"></figure>`,
    );
  });

  it('omits objects and figures of missing items and assets', async () => {
    const stored = canonical(
      `<p>a</p><object data-type="item" data-id="${ASSET}"></object><figure data-asset-id="${ITEM}"><img alt="x"></figure><p>b</p>`,
    );
    expect(await toDelivery(stored, lookup)).to.equal('<p>a</p><p>b</p>');
  });

  it('has links to items with their id and an empty address, and other links with their address', async () => {
    const html =
      `<p><a data-item-id="${ITEM}">i</a><a data-asset-id="${ASSET}">a</a><a href="https://x" data-new-window="true">n</a>` +
      '<a data-email-address="a@b.c" data-email-subject="a b">m</a></p>';
    expect(await toDelivery(canonical(html), lookup)).to.equal(
      `<p><a data-item-id="${ITEM}" href="">i</a>` +
        `<a data-asset-id="${ASSET}" href="https://assets/p/f/n.png?a=1&amp;b=2">a</a>` +
        '<a href="https://x" data-new-window="true" target="_blank" rel="noopener noreferrer">n</a>' +
        '<a data-email-address="a@b.c" data-email-subject="a b" href="mailto:a@b.c?subject=a%20b">m</a></p>',
    );
  });

  it('lists what it refers to, in order and without repetition', async () => {
    const stored = canonical(
      `<object data-type="component" data-id="${COMPONENT}"></object><object data-type="item" data-id="${ITEM}"></object>` +
        `<p><a data-item-id="${ITEM}">x</a><a data-item-id="${ITEM}">x</a><a data-asset-id="${COMPONENT}">y</a></p>` +
        `<figure data-asset-id="${ASSET}"></figure><object data-type="item" data-id="${ITEM}"></object>`,
    );
    expect(await richTextReferences(stored)).to.deep.equal({
      linkedItems: [
        { kind: 'component', id: COMPONENT },
        { kind: 'item', id: ITEM },
      ],
      links: [ITEM],
      images: [ASSET],
      assets: [COMPONENT, ASSET],
    });
  });
});
