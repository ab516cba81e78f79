/** Clipboards as Google Docs and other editors of documents write them, shortened to what matters. */
import type { Clipboard } from './clipboard.ts';

const docs = (html: string) =>
  `<meta charset='utf-8'><meta charset="utf-8"><b style="font-weight:normal;" id="docs-internal-guid-1c0f2b2e-7fff-0d27">${html}</b><br class="Apple-interchange-newline">`;
const style =
  'font-size:11pt;font-family:Arial,sans-serif;color:#000000;background-color:transparent;font-weight:400;font-style:normal;font-variant:normal;text-decoration:none;vertical-align:baseline;white-space:pre;white-space:pre-wrap;';
const span = (text: string, changed = '') => `<span style="${style}${changed}">${text}</span>`;
const p = (html: string) =>
  `<p dir="ltr" style="line-height:1.38;margin-top:0pt;margin-bottom:0pt;">${html}</p>`;
const li = (html: string, level = 1) =>
  `<li dir="ltr" style="list-style-type:disc;${style}" aria-level="${level}">${p(html)}</li>`;

export const DOCUMENTS: readonly Clipboard[] = [
  {
    name: 'Google Docs: paragraphs',
    stored: '<p>One</p><p>Two</p>',
    html: docs(p(span('One')) + p(span('Two'))),
  },
  {
    name: 'Google Docs: styles',
    stored: '<p><strong>bold</strong> and <em>italic</em>, <strong><em>both</em></strong></p>',
    html: docs(
      p(
        span('bold', 'font-weight:700;') +
          span(' and ') +
          span('italic', 'font-style:italic;') +
          span(', ') +
          span('both', 'font-weight:700;font-style:italic;'),
      ),
    ),
  },
  {
    name: 'Google Docs: raised and lowered',
    stored: '<p>x<sup>2</sup> H<sub>2</sub>O</p>',
    html: docs(
      p(
        span('x') +
          span('<span style="font-size:0.6em;vertical-align:super;">2</span>') +
          span(' H') +
          span('<span style="font-size:0.6em;vertical-align:sub;">2</span>') +
          span('O'),
      ),
    ),
  },
  {
    name: 'Google Docs: underlined, struck, highlighted',
    stored: '<p>ush</p>',
    omitted: ['underline', 'strikethrough', 'colors'],
    html: docs(
      p(
        span('u', 'text-decoration:underline;') +
          span('s', 'text-decoration:line-through;') +
          span('h', 'background-color:#ffff00;'),
      ),
    ),
  },
  {
    name: 'Google Docs: headings',
    stored: '<h1>First</h1><h3>Third</h3><h4><em>Sixth</em></h4>',
    omitted: ['smallHeadings'],
    html: docs(
      `<h1 dir="ltr">${span('First', 'font-size:20pt;')}</h1><h3 dir="ltr">${span('Third', 'font-weight:700;')}</h3><h6 dir="ltr">${span('Sixth', 'font-style:italic;')}</h6>`,
    ),
  },
  {
    name: 'Google Docs: link',
    stored: '<p><a href="https://example.org/?a=1&amp;b=2">link</a></p>',
    html: docs(
      p(
        `<a href="https://example.org/?a=1&amp;b=2" style="text-decoration:none;">${span('link', 'color:#1155cc;text-decoration:underline;')}</a>`,
      ),
    ),
  },
  {
    name: 'Google Docs, published: link through an address of its own',
    stored: '<p><a href="https://example.org/x?y">link</a></p>',
    html: docs(
      p(
        '<a href="https://www.google.com/url?q=https://example.org/x%3Fy&amp;sa=D&amp;source=editors&amp;ust=1" class="c1">link</a>',
      ),
    ),
  },
  {
    name: 'Google Docs: list',
    stored: '<ul><li>One</li><li>Two</li></ul>',
    html: docs(
      `<ul style="margin-top:0;padding-inline-start:48px;">${li(span('One')) + li(span('Two'))}</ul>`,
    ),
  },
  {
    name: 'Google Docs: nested list beside its item',
    stored: '<ul><li>One<ul><li>Inner</li></ul></li><li>Two</li></ul>',
    html: docs(`<ul>${li(span('One'))}<ul>${li(span('Inner'), 2)}</ul>${li(span('Two'))}</ul>`),
  },
  {
    name: 'Google Docs: numbered list in a list',
    stored: '<ol><li>First<ul><li>Inner</li></ul></li></ol><p>After</p>',
    html: docs(`<ol>${li(span('First'))}<ul>${li(span('Inner'), 2)}</ul></ol>${p(span('After'))}`),
  },
  {
    name: 'Google Docs: table',
    stored: '<table><tbody><tr><td>a</td><td>b</td></tr><tr><td>c</td><td></td></tr></tbody></table>',
    html: docs(
      `<div dir="ltr" style="margin-left:0pt;" align="left"><table style="border:none;"><colgroup><col width="301"/><col width="301"/></colgroup><tbody><tr style="height:0pt"><td style="border:solid">${p(span('a'))}</td><td>${p(span('b'))}</td></tr><tr><td>${p(span('c'))}</td><td><br></td></tr></tbody></table></div>`,
    ),
  },
  {
    name: 'Google Docs: image',
    stored: '<p>Text</p>',
    omitted: ['images'],
    html: docs(
      p(
        '<span style="border:none;display:inline-block;overflow:hidden;width:100px;"><img src="https://lh7-rt.googleusercontent.com/docsz/AD_4nX" width="100" height="80"></span>',
      ) + p(span('Text')),
    ),
  },
  {
    name: 'Google Docs: empty lines',
    stored: '<p>One</p><p>Two</p>',
    html: docs(`${p(span('One'))}<br><br>${p(span('Two'))}`),
  },
  {
    name: 'Google Docs: part of a line',
    stored: '<p>three words here</p>',
    html: docs(span('three words here')),
  },
  {
    name: 'Google Sheets: cells',
    stored:
      '<table><tbody><tr><td><strong>Name</strong></td><td>1</td></tr><tr><td></td><td>2</td></tr></tbody></table>',
    html: `<meta charset="utf-8"><google-sheets-html-origin><style type="text/css"><!--td {border: 1px solid #cccccc;}--></style><table xmlns="http://www.w3.org/1999/xhtml" cellspacing="0" dir="ltr"><colgroup><col width="100"/><col width="100"/></colgroup><tbody><tr style="height:21px;"><td style="font-weight:bold;" data-sheets-value="{}">Name</td><td style="text-align:right;">1</td></tr><tr><td></td><td>2</td></tr></tbody></table>`,
  },
  {
    name: 'Notion',
    stored:
      '<h2>Title</h2><p>Text with <strong>bold</strong> and <code>code</code></p><ul><li>one<ul><li>inner</li></ul></li><li>two</li></ul><p>quoted</p>',
    omitted: ['quotes'],
    html: `<meta charset='utf-8'><h2 id="1">Title</h2>\n\n<p>Text with <strong>bold</strong> and <code>code</code></p>\n\n<ul>\n<li>one<ul>\n<li>inner</li></ul>\n</li>\n<li>two</li>\n</ul>\n<blockquote>quoted</blockquote>`,
  },
  {
    name: 'Confluence',
    stored:
      '<h2>Title</h2><p>A remark</p><table><tbody><tr><td><strong>Key</strong></td><td><strong>Value</strong></td></tr><tr><td>a</td><td><ul><li>b</li></ul></td></tr></tbody></table>',
    omitted: ['tableHeaders'],
    html: `<h2 id="Page-Title" style="margin:30px 0px 0px;color:rgb(23, 43, 77);">Title</h2><p style="white-space:normal;">A <span class="inline-comment-marker" data-ref="1">remark</span></p><div class="table-wrap"><table class="confluenceTable"><tbody><tr><th class="confluenceTh"><p>Key</p></th><th class="confluenceTh">Value</th></tr><tr><td class="confluenceTd">a</td><td class="confluenceTd"><ul><li>b</li></ul></td></tr></tbody></table></div>`,
  },
  {
    name: 'Slack: message',
    stored:
      '<p>See <a href="https://example.org" data-new-window="true">this</a> and <strong>that</strong></p>',
    html: `<meta charset='utf-8'><span style="color: rgb(29, 28, 29);">See </span><a href="https://example.org" target="_blank" class="c-link" rel="noopener noreferrer" style="box-sizing:inherit;">this</a><span><span> </span>and<span> </span></span><b data-stringify-type="bold">that</b>`,
  },
  {
    name: 'Dropbox Paper: code',
    stored: '<p><code>const a = 1;<br/>if (a &lt; 2) b();</code></p>',
    html: `<meta charset='utf-8'><pre><code class="language-js">const a = 1;\nif (a &lt; 2) b();\n</code></pre>`,
  },
  {
    name: 'Visual Studio Code',
    stored: '<p>import a</p><p>b();</p>',
    html: `<meta charset='utf-8'><div style="color: #3b3b3b;background-color: #ffffff;font-family: 'Fira Code', monospace;font-weight: normal;font-size: 14px;white-space: pre;"><div><span style="color: #af00db;">import</span><span style="color: #3b3b3b;"> a</span></div><br><div><span>b();</span></div></div>`,
  },
];
