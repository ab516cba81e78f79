/** Clipboards as Word and its relatives write them, shortened to what matters. */
import type { Clipboard } from './clipboard.ts';

const head = `<html xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:w="urn:schemas-microsoft-com:office:word"><head><meta http-equiv=Content-Type content="text/html; charset=utf-8"><meta name=Generator content="Microsoft Word 15"><!--[if gte mso 9]><xml><o:OfficeDocumentSettings><o:AllowPNG/></o:OfficeDocumentSettings></xml><![endif]--><style><!-- /* Font Definitions */ @font-face {font-family:Calibri;} p.MsoNormal {margin:0in;} --></style></head><body lang=EN-US style='tab-interval:.5in'><!--StartFragment-->`;
const tail = '<!--EndFragment--></body></html>';
const word = (html: string) => head + html + tail;
const item = (level: number, marker: string, text: string) =>
  `<p class=MsoListParagraphCxSpMiddle style='margin-left:${level / 2}in;text-indent:-.25in;mso-list:l0 level${level} lfo1'><![if !supportLists]><span style='font-family:Symbol;mso-fareast-font-family:Symbol'><span style='mso-list:Ignore'>${marker}<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;&nbsp; </span></span></span><![endif]>${text}<o:p></o:p></p>\n`;

export const WORD: readonly Clipboard[] = [
  {
    name: 'Word: a paragraph',
    stored: '<p>One line of text, wrapped in the source.</p>',
    html: word('<p class=MsoNormal>One line of text,\nwrapped in the source.<o:p></o:p></p>'),
  },
  {
    name: 'Word: bold, italic, underlined',
    stored: '<p><strong>Bold</strong>, <em>italic</em>, <strong><em>both</em></strong> and underlined.</p>',
    omitted: ['underline'],
    html: word(
      '<p class=MsoNormal><b>Bold</b>, <i>italic</i>, <b><i>both</i></b> and <u>underlined</u>.<o:p></o:p></p>',
    ),
  },
  {
    name: 'Word: character styles as spans',
    stored: '<p><strong>bold</strong> <em>italic</em> plain</p>',
    html: word(
      "<p class=MsoNormal><span style='font-weight:bold'>bold</span> <span style='font-style:italic'>italic</span> <span style='mso-bidi-font-weight:normal'>plain</span></p>",
    ),
  },
  {
    name: 'Word: superscript and subscript',
    stored: '<p>E=mc<sup>2</sup>, H<sub>2</sub>O</p>',
    html: word('<p class=MsoNormal>E=mc<sup>2</sup>, H<sub>2</sub>O<o:p></o:p></p>'),
  },
  {
    name: 'Word: headings',
    stored: '<h1>Title of a part</h1><h2>Second</h2><h4>Fifth</h4><h1>Title</h1>',
    omitted: ['smallHeadings'],
    html: word(
      '<h1><a name="_Toc1"></a>Title of a part<o:p></o:p></h1><h2>Second<o:p></o:p></h2><h5>Fifth<o:p></o:p></h5><p class=MsoTitle>Title<o:p></o:p></p>',
    ),
  },
  {
    name: 'Word: empty paragraphs',
    stored: '<p>a</p><p>b</p>',
    html: word(
      '<p class=MsoNormal>a<o:p></o:p></p><p class=MsoNormal><o:p>&nbsp;</o:p></p><p class=MsoNormal>b</p>',
    ),
  },
  {
    name: 'Word: bullet list',
    stored: '<ul><li>One</li><li>Two</li></ul>',
    html: word(item(1, '·', 'One') + item(1, '·', 'Two')),
  },
  {
    name: 'Word: nested list',
    stored: '<ul><li>One<ul><li>Inner<ul><li>Innermost</li></ul></li></ul></li><li>Two</li></ul>',
    html: word(item(1, '·', 'One') + item(2, 'o', 'Inner') + item(3, '§', 'Innermost') + item(1, '·', 'Two')),
  },
  {
    name: 'Word: numbered list',
    stored: '<ol><li>First</li><li>Second<ol><li>Inner</li></ol></li></ol>',
    html: word(item(1, '1.', 'First') + item(1, '2.', 'Second') + item(2, 'a)', 'Inner')),
  },
  {
    name: 'Word: numbers, then bullets',
    stored: '<ol><li>First</li></ol><ul><li>Bullet</li></ul><p>After</p>',
    html: word(`${item(1, '1.', 'First') + item(1, '·', 'Bullet')}<p class=MsoNormal>After</p>`),
  },
  {
    name: 'Word: list whose first entry is indented',
    stored: '<ul><li>Inner</li><li>Outer</li></ul>',
    html: word(item(2, 'o', 'Inner') + item(1, '·', 'Outer')),
  },
  {
    name: 'Word: list with a bold entry and a link',
    stored:
      '<ul><li><strong>Bold</strong> and <a href="https://example.org/a?b=1&amp;c=2">a link</a></li></ul>',
    html: word(item(1, '·', '<b>Bold</b> and <a href="https://example.org/a?b=1&amp;c=2">a link</a>')),
  },
  {
    name: 'Word: table',
    stored:
      '<table><tbody><tr><td>a</td><td><strong>b</strong></td></tr><tr><td>c</td><td></td></tr></tbody></table>',
    html: word(
      "<table class=MsoTableGrid border=1 cellspacing=0 style='border-collapse:collapse'><tr><td width=208 valign=top><p class=MsoNormal>a<o:p></o:p></p></td><td width=208><p class=MsoNormal><b>b</b><o:p></o:p></p></td></tr><tr><td><p class=MsoNormal>c</p></td><td><p class=MsoNormal><o:p>&nbsp;</o:p></p></td></tr></table>",
    ),
  },
  {
    name: 'Word: table with merged cells',
    stored: '<table><tbody><tr><td>wide</td><td></td></tr><tr><td>a</td><td>b</td></tr></tbody></table>',
    omitted: ['mergedCells'],
    html: word(
      '<table class=MsoNormalTable><tr><td colspan=2><p class=MsoNormal>wide</p></td></tr><tr><td><p class=MsoNormal>a</p></td><td><p class=MsoNormal>b</p></td></tr></table>',
    ),
  },
  {
    name: 'Word: two paragraphs and a list in a cell',
    stored: '<table><tbody><tr><td><p>a</p><p>b</p><ul><li>c</li></ul></td></tr></tbody></table>',
    html: word(
      `<table class=MsoTableGrid><tr><td><p class=MsoNormal>a</p><p class=MsoNormal>b</p>${item(1, '·', 'c')}</td></tr></table>`,
    ),
  },
  {
    name: 'Word: image of the file system',
    stored: '<p>text</p>',
    omitted: ['images'],
    html: word(
      '<p class=MsoNormal><!--[if gte vml 1]><v:shape id="_x0000_i1025" type="#_x0000_t75"><v:imagedata src="file:///C:/Temp/clip_image001.png"/></v:shape><![endif]--><![if !vml]><img width=300 height=200 src="file:///C:/Temp/clip_image001.png" v:shapes="_x0000_i1025"><![endif]>text</p>',
    ),
  },
  {
    name: 'Word: comment',
    stored: '<p>Commented text</p>',
    omitted: ['comments'],
    html: word(
      "<p class=MsoNormal><a style='mso-comment-reference:A_1'>Commented</a><span class=MsoCommentReference><span style='font-size:8.0pt'><a class=msocomanchor id=\"_anchor_1\" href=\"#_msocom_1\">[A1]</a></span></span> text</p><div style='mso-element:comment-list'><hr class=msocomoff><div style='mso-element:comment'><p class=MsoCommentText>A comment</p></div></div>",
    ),
  },
  {
    name: 'Word: footnote',
    stored: '<p>Text<sup>[1]</sup></p><p><sup>[1]</sup> The note</p>',
    omitted: ['links', 'rules'],
    html: word(
      '<p class=MsoNormal>Text<a style=\'mso-footnote-id:ftn1\' href="#_ftn1" name="_ftnref1"><sup>[1]</sup></a></p><div style=\'mso-element:footnote-list\'><hr><div style=\'mso-element:footnote\' id=ftn1><p class=MsoFootnoteText><a href="#_ftnref1"><sup>[1]</sup></a> The note</p></div></div>',
    ),
  },
  {
    name: 'Word: highlighted and struck text',
    stored: '<p>marked struck red</p>',
    omitted: ['colors', 'strikethrough'],
    html: word(
      "<p class=MsoNormal><span style='background:yellow;mso-highlight:yellow'>marked</span> <s>struck</s> <span style='color:red'>red</span></p>",
    ),
  },
  {
    name: 'Word: line break and tab',
    stored: '<p>one<br/>two three</p>',
    html: word(
      "<p class=MsoNormal>one<br>\ntwo<span style='mso-tab-count:1'>&nbsp;&nbsp;&nbsp;&nbsp;&nbsp;&nbsp; </span>three</p>",
    ),
  },
  {
    name: 'Word: typographic characters as numbers',
    stored: '<p>“Quoted” – it’s &lt;b&gt; &amp;amp; €&nbsp;5…</p>',
    html: word(
      '<p class=MsoNormal>&#8220;Quoted&#8221; &#8211; it&#8217;s &lt;b&gt; &amp;amp; &euro;&nbsp;5&#x2026;</p>',
    ),
  },
  {
    name: 'Word: hyperlink to a mail address',
    stored: '<p><a data-email-address="a@example.org" data-email-subject="Two words" href="">write</a></p>',
    html: word(
      '<p class=MsoNormal><a href="mailto:a@example.org?subject=Two%20words"><span style=\'color:#0563C1\'>write</span></a></p>',
    ),
  },
  {
    name: 'Outlook: message',
    stored: '<p>Hello,</p><p>regards</p>',
    html: `<html><body><div class=WordSection1><p class=MsoNormal><span lang=EN-GB style='font-size:11.0pt;font-family:"Calibri",sans-serif;mso-fareast-language:EN-US'>Hello,<o:p></o:p></span></p><p class=MsoNormal><span lang=EN-GB><o:p>&nbsp;</o:p></span></p><p class=MsoNormal><span lang=EN-GB>regards<o:p></o:p></span></p></div></body></html>`,
  },
  {
    name: 'Excel: cells',
    stored: '<table><tbody><tr><td>Name</td><td>1,5</td></tr><tr><td></td><td>2</td></tr></tbody></table>',
    html: `<html xmlns:x="urn:schemas-microsoft-com:office:excel"><head><meta name=ProgId content=Excel.Sheet><style>td{mso-number-format:General;}</style></head><body><table border=0 cellpadding=0 width=128 style='border-collapse:collapse;width:96pt'><!--StartFragment--><col width=64 span=2 style='width:48pt'><tr height=20><td height=20 width=64 class=xl65>Name</td><td width=64 align=right>1,5</td></tr><tr><td>&nbsp;</td><td align=right>2</td></tr><!--EndFragment--></table></body></html>`,
  },
  {
    name: 'Word Online',
    stored: '<p><strong>Bold</strong> and plain</p>',
    html: `<div class="OutlineElement Ltr SCXW1" style="direction: ltr;"><p class="Paragraph SCXW1" xml:lang="EN-US" paraid="1"><span data-contrast="auto" class="TextRun SCXW1" style="font-weight: bold;"><span class="NormalTextRun SCXW1">Bold</span></span><span class="TextRun SCXW1"><span class="NormalTextRun"> and plain</span></span><span class="EOP SCXW1" data-ccp-props="{}">&nbsp;</span></p></div>`,
  },
  {
    name: 'Word Online: list',
    stored: '<ul><li>One</li><li>Two</li></ul>',
    html: `<div class="ListContainerWrapper SCXW1"><ul class="BulletListStyle1 SCXW1" role="list"><li data-leveltext="" data-listid="1" class="OutlineElement SCXW1" role="listitem"><p class="Paragraph SCXW1"><span class="TextRun">One</span><span class="EOP">&nbsp;</span></p></li></ul></div><div class="ListContainerWrapper SCXW1"><ul class="BulletListStyle1"><li><p><span>Two</span></p></li></ul></div>`,
  },
  {
    name: 'LibreOffice',
    stored: '<h1>Title</h1><p>Text with <strong>bold red</strong></p><ul><li>one</li><li>two</li></ul>',
    html: `<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.0 Transitional//EN">\n<html>\n<head>\n\t<meta http-equiv="content-type" content="text/html; charset=utf-8"/>\n\t<title></title>\n\t<style type="text/css">p { line-height: 115%; background: transparent }</style>\n</head>\n<body lang="en-GB" link="#000080"><h1 class="western">Title</h1>\n<p style="line-height: 100%; margin-bottom: 0cm">\nText with <font color="#c9211e"><b>bold red</b></font>\n</p>\n<ul>\n\t<li><p style="margin-bottom: 0cm">\n\tone</p></li>\n\t<li><p>two</p></li>\n</ul>\n</body>\n</html>`,
  },
  {
    name: 'Apple Pages',
    stored: '<p><strong>Bold</strong> text</p><ul><li>one</li></ul>',
    html: `<meta charset='utf-8'><p class="p1" style="margin: 0.0px; font: 11.0px 'Helvetica Neue'"><b>Bold</b><span class="Apple-converted-space">&nbsp;</span>text</p><p class="p2"><br></p><ul class="ul1"><li class="li1" style="margin: 0.0px"><span class="s1" style="font: 9px"></span>one</li></ul>`,
  },
];
