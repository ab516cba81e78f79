/** Clipboards as browsers write them when a part of a web page is copied, shortened to what matters. */
import type { Clipboard } from './clipboard.ts';

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export const WEB: readonly Clipboard[] = [
  {
    name: 'Chrome: part of an article',
    stored: '<h2>Heading</h2><p>Text <a href="https://example.org/a">link</a> more.</p>',
    html: `<html>\n<body>\n<!--StartFragment--><h2 style="box-sizing: border-box; font-size: 24px;">Heading</h2><p style="orphans: 2;">Text<span> </span><a href="https://example.org/a" style="color: blue;">link</a><span> </span>more.</p><!--EndFragment-->\n</body>\n</html>`,
  },
  {
    name: 'Chrome: words of a paragraph',
    stored: '<p>two words</p>',
    html: `<meta charset='utf-8'><span style="font-weight: 400; display: inline !important; float: none;">two words</span>`,
  },
  {
    name: 'page: characters with the numbers of Windows',
    stored: '<p>It’s 5 € – or “more”.</p>',
    html: '<p>It&#146;s 5 &#128; &#150; or &#147;more&#x94;.&#129;</p>',
  },
  {
    name: 'Firefox: paragraph and list',
    stored: '<p>Text</p><ol><li>one</li><li>two</li></ol>',
    html: '<p>Text</p>\n<ol>\n  <li>one</li>\n  <li>two</li>\n</ol>',
  },
  {
    name: 'Safari: non-breaking spaces for its own',
    stored: '<p>one <strong>two</strong></p>',
    html: `<meta charset="UTF-8"><p>one<span class="Apple-converted-space">&nbsp;</span><b>two</b></p>`,
  },
  {
    name: 'Wikipedia: text with references',
    stored:
      '<p>The <strong>Orrach</strong><a href="https://en.wikipedia.org/wiki/Orrach#cite_note-1"><sup>[1]</sup></a> is a <a href="https://en.wikipedia.org/wiki/River" title="River">river</a>.</p>',
    html: `<p>The <b>Orrach</b><sup id="cite_ref-1" class="reference"><a href="https://en.wikipedia.org/wiki/Orrach#cite_note-1"><span>[</span>1<span>]</span></a></sup> is a <a href="https://en.wikipedia.org/wiki/River" title="River">river</a>.</p><style data-mw-deduplicate="x">.mw{color:red}</style>`,
  },
  {
    name: 'Wikipedia: table with headers',
    stored:
      '<p>Gauges</p><table><tbody><tr><td><strong>Place</strong></td><td><strong>m³/s</strong></td></tr><tr><td><strong>Neumühl</strong></td><td>412</td></tr><tr><td>Sum</td><td>412</td></tr></tbody></table>',
    omitted: ['tableHeaders'],
    html: `<table class="wikitable"><caption>Gauges</caption><thead><tr><th scope="col">Place</th><th scope="col">m³/s</th></tr></thead><tbody><tr><th scope="row">Neumühl</th><td>412</td></tr></tbody><tfoot><tr><td>Sum</td><td>412</td></tr></tfoot></table>`,
  },
  {
    name: 'page: quotation and line',
    stored: '<p>Quoted</p><p>After</p>',
    omitted: ['quotes', 'rules'],
    html: '<blockquote><p>Quoted</p></blockquote><hr><p>After</p>',
  },
  {
    name: 'page: div in div',
    stored: '<p>one</p><p>two</p><p>three</p>',
    html: '<div><div>one</div><div>two<div>three</div></div></div>',
  },
  {
    name: 'page: text beside blocks',
    stored: '<p>before</p><p>inside</p><p>after <strong>bold</strong></p>',
    html: 'before<p>inside</p>after <b>bold</b>',
  },
  {
    name: 'page: definition list',
    stored: '<p>Term</p><p>Meaning</p><p>Other</p><p>Thing</p>',
    html: '<dl><dt>Term</dt><dd>Meaning</dd><dt>Other<dd>Thing</dl>',
  },
  {
    name: 'page: image with its caption',
    stored:
      '<figure data-asset-id="pending:0"><img src="#" data-asset-id="pending:0" alt="A pixel"></figure><p>Caption</p>',
    html: `<figure><img src="data:image/png;base64,${PIXEL}" alt="A pixel"><figcaption>Caption</figcaption></figure>`,
  },
  {
    name: 'page: remote image',
    stored: '<p>ab</p>',
    omitted: ['images'],
    html: '<p>a<img src="https://example.org/a.png" alt="A">b</p>',
  },
  {
    name: 'page: video and frame',
    stored: '<p>a</p>',
    omitted: ['embedded'],
    html: '<p>a</p><iframe src="https://example.org"></iframe><video><source src="a.mp4">no video</video>',
  },
  {
    name: 'page: form',
    stored: '<p>Name Send</p>',
    omitted: ['fields'],
    html: '<form><label>Name <input name="a"></label><button>Send</button><select><option>x</select></form>',
  },
  {
    name: 'page: scripts and handlers',
    stored: '<p>a</p><p>b</p>',
    omitted: ['images', 'links', 'embedded'],
    html: '<p onclick="alert(1)">a<script>alert("<p>no</p>")</script></p><img src=x onerror=alert(1)><a href="javascript:alert(1)">b</a><svg onload=alert(1)><p>c</p></svg>',
  },
  {
    name: 'page: link in a heading',
    stored: '<h2><a href="https://example.org/#a">Title</a></h2>',
    html: '<h2><a href="https://example.org/#a">Title</a></h2>',
  },
  {
    name: 'page: relative link',
    stored: '<p>a b</p>',
    omitted: ['links'],
    html: '<p><a href="/a">a</a> <a href="#b">b</a></p>',
  },
  {
    name: 'page: link around blocks',
    stored: '<h3><a href="https://example.org">Title</a></h3><p><a href="https://example.org">Text</a></p>',
    html: '<a href="https://example.org"><h3>Title</h3><p>Text</p></a>',
  },
  {
    name: 'page: table in a table',
    stored: '<table><tbody><tr><td>a<p>b</p><p>c</p></td></tr></tbody></table>',
    omitted: ['nestedTables'],
    html: '<table><tr><td>a<table><tr><td>b</td><td>c</td></tr></table></td></tr></table>',
  },
  {
    name: 'page: heading and table in a list',
    stored: '<ul><li><p>Title</p>text</li><li>b</li></ul><table><tbody><tr><td>a</td></tr></tbody></table>',
    html: '<ul><li><h3>Title</h3>text<table><tr><td>a</td></tr></table></li><li>b</li></ul>',
  },
  { name: 'page: list without items', stored: '<p>a</p>', html: '<ul></ul><ol> </ol><p>a</p>' },
  { name: 'page: entry without list', stored: '<ul><li>a</li><li>b</li></ul>', html: '<li>a</li><li>b</li>' },
  {
    name: 'page: tags that are not closed',
    stored:
      '<ul><li>a</li><li>b</li></ul><p>c</p><p>d</p><table><tbody><tr><td>e</td><td>f</td></tr><tr><td>g</td></tr></tbody></table>',
    html: '<ul><li>a<li>b</ul><p>c<p>d<table><tr><td>e<td>f<tr><td>g</table>',
  },
  { name: 'page: hidden text', stored: '<p>a</p>', html: '<p>a<span style="display:none">hidden</span></p>' },
  {
    name: 'page: preformatted text',
    stored: '<p><code>a<br/>  b &lt;c&gt;</code></p>',
    html: '<pre>a\n  b &lt;c&gt;</pre>',
  },
  {
    name: 'page: keys and samples',
    stored: '<p>Press <code>Ctrl</code>, see <code>out</code> <code>tt</code></p>',
    html: '<p>Press <kbd>Ctrl</kbd>, see <samp>out</samp> <tt>tt</tt></p>',
  },
  {
    name: 'page: emphasis that ends emphasis',
    stored: '<p><strong>bold </strong>plain</p>',
    html: '<p><b>bold <span style="font-weight:normal">plain</span></b></p>',
  },
  { name: 'page: a less-than sign', stored: '<p>a &lt; b and c</p>', html: '<p>a < b and c</p>' },
  {
    name: 'page: white space',
    stored: '<p>a <strong>b </strong>c</p>',
    html: '<p>\n  a\n  <b> b </b>\n  c\n</p>\n\n<p> </p>',
  },
  {
    name: 'page: unknown tags',
    stored: '<p>a</p><p>b</p>',
    html: '<my-card><slot><p>a</p></slot></my-card><font size=4>b</font>',
  },
  {
    name: 'this editor: links, image and item',
    stored:
      '<p><a data-item-id="22222222-2222-4222-8222-222222222222" href="">item</a> <a data-email-address="a@example.org" data-email-subject="s" href="">mail</a></p><figure data-asset-id="22222222-2222-4222-8222-222222222222"><img src="#" data-asset-id="22222222-2222-4222-8222-222222222222" alt="A"></figure><object data-type="item" data-id="22222222-2222-4222-8222-222222222222"></object><ul><li>text<p>paragraph</p></li></ul>',
    html: '<p data-pm-slice="1 1 []"><a data-item-id="22222222-2222-4222-8222-222222222222" href="">item</a> <a data-email-address="a@example.org" data-email-subject="s" href="">mail</a></p><figure data-asset-id="22222222-2222-4222-8222-222222222222"><img data-asset-id="22222222-2222-4222-8222-222222222222" alt="A"></figure><object data-type="item" data-id="22222222-2222-4222-8222-222222222222"></object><ul><li><div class="run">text</div><p>paragraph</p></li></ul>',
  },
];
