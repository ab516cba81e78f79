/** Clipboards of programs that write plain text only, many of them Markdown. */
import type { Clipboard } from './clipboard.ts';

export const PLAIN: readonly Clipboard[] = [
  { name: 'text: a line', stored: '<p>One line</p>', text: 'One line' },
  {
    name: 'text: paragraphs and lines',
    stored: '<p>one<br/>two</p><p>three</p><p>four</p>',
    text: 'one\r\ntwo\r\n\r\nthree\n\n\nfour',
  },
  {
    name: 'text: markup',
    stored: '<p>&lt;b&gt;not bold&lt;/b&gt; &amp; so on</p>',
    text: '<b>not bold</b> & so on',
  },
  {
    name: 'text: address',
    stored: '<p>See <a href="https://example.org/a?b=1&amp;c=2">https://example.org/a?b=1&amp;c=2</a>.</p>',
    text: 'See https://example.org/a?b=1&c=2.',
  },
  {
    name: 'Markdown: headings',
    stored: '<h1>One</h1><h2>Two</h2><h4>Five</h4><p>text</p>',
    text: '# One\n\n## Two ##\n\n##### Five\ntext',
  },
  {
    name: 'Markdown: styles',
    stored:
      '<p><strong>bold</strong>, <em>italic</em>, <strong>bold</strong>, <em>italic</em>, <code>code</code>, <strong><em>both</em></strong></p>',
    text: '**bold**, *italic*, __bold__, _italic_, `code`, ***both***',
  },
  {
    name: 'Markdown: what only looks like styles',
    stored: '<p>snake_case_name, 2 * 3 * 4, a__b__c</p>',
    text: 'snake_case_name, 2 * 3 * 4, a__b__c',
  },
  {
    name: 'Markdown: link',
    stored:
      '<p><a href="https://example.org" title="Title">a link</a> and <a href="https://example.org/b"><strong>bold</strong></a></p>',
    text: '[a link](https://example.org "Title") and [**bold**](https://example.org/b)',
  },
  {
    name: 'Markdown: unsafe link',
    stored: '<p>[a](javascript:alert(1))</p>',
    text: '[a](javascript:alert(1))',
  },
  {
    name: 'Markdown: bullet list',
    stored:
      '<ul><li>one</li><li>two<ul><li>inner<ul><li>innermost</li></ul></li></ul></li><li>three</li></ul>',
    text: '- one\n- two\n  - inner\n    - innermost\n- three',
  },
  {
    name: 'Markdown: numbered list',
    stored: '<ol><li>one</li><li>two<br/>more of two</li></ol><p>after</p>',
    text: '1. one\n2. two\n   more of two\n\nafter',
  },
  {
    name: 'Markdown: numbered list with empty lines',
    stored:
      '<ol><li>one</li><li>two<br/>more of two</li><li>three<ul><li>inner</li></ul></li></ol><p>after</p>',
    text: '1. one\n\n2. two\n\n   more of two\n\n3. three\n\n   - inner\n\nafter',
  },
  {
    name: 'text: numbers that begin no list',
    stored: '<p>See you on the<br/>24. December</p><p>3. three</p><p>4. four</p>',
    text: 'See you on the\n24. December\n\n3. three\n\n4. four',
  },
  {
    name: 'Markdown: lists of two kinds',
    stored: '<ul><li>a</li><li>b</li></ul><ol><li>c</li></ol>',
    text: '* a\n* b\n1. c',
  },
  {
    name: 'Markdown: code',
    stored: '<p><code>const a = 1;</code><br/><code>**not bold**</code></p><p>after</p>',
    text: '```js\nconst a = 1;\n**not bold**\n```\nafter',
  },
  {
    name: 'Markdown: indented code',
    stored: '<p><code>if a:</code><br/><code>    b()</code></p>',
    text: '```\nif a:\n    b()\n```',
  },
  {
    name: 'Markdown: quotation and line',
    stored: '<p>quoted<br/>more</p><p>after</p>',
    text: '> quoted\n> more\n\n---\n\nafter',
  },
  {
    name: 'Markdown: table',
    stored:
      '<table><tbody><tr><td>a</td><td>b</td></tr><tr><td>c</td><td><strong>d</strong></td></tr></tbody></table>',
    text: '| a | b |\n|---|:-:|\n| c | **d** |',
  },
  { name: 'text: characters without meaning', stored: '<p>abc</p>', text: '\ufeffa\u0007b\u0000c' },
];
