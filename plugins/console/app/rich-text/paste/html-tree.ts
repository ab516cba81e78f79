/** Reads any HTML into a tree without the browser's parser, which Trusted Types forbid, and which tests do not have. */
import { decodeEntities } from './entities.ts';

export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: (Element | string)[];
}

const TAG = /<(\/?)([a-zA-Z][^\s/>]*)((?:[\s/](?:"[^"]*"|'[^']*'|[^"'>])*)?)>/y;
const ATTRIBUTE = /([^\s=/"'>]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g;

const VOID = new Set([
  'area',
  'base',
  'br',
  'col',
  'embed',
  'hr',
  'img',
  'input',
  'link',
  'meta',
  'source',
  'wbr',
]);
/** Their content is no text of the document. */
const RAW = new Set(['script', 'style', 'title', 'xml', 'template', 'noscript']);
/** What an opening tag ends, up to the tag that bounds it. */
const ENDS: Readonly<
  Record<string, { readonly ended: ReadonlySet<string>; readonly bound: ReadonlySet<string> }>
> = {
  li: { ended: new Set(['li']), bound: new Set(['ul', 'ol']) },
  dt: { ended: new Set(['dt', 'dd']), bound: new Set(['dl']) },
  dd: { ended: new Set(['dt', 'dd']), bound: new Set(['dl']) },
  tr: { ended: new Set(['tr', 'td', 'th']), bound: new Set(['table']) },
  td: { ended: new Set(['td', 'th']), bound: new Set(['table', 'tr']) },
  th: { ended: new Set(['td', 'th']), bound: new Set(['table', 'tr']) },
};
const ENDS_PARAGRAPH =
  /^(?:address|article|aside|blockquote|details|div|dl|fieldset|figure|footer|form|h[1-6]|header|hr|main|nav|ol|p|pre|section|table|ul)$/;
/** Tags that are deeper than this are read as if they were not there. */
const DEPTH = 200;

export function readHtml(html: string): Element {
  const root: Element = { name: '', attributes: {}, children: [] };
  const open: Element[] = [root];
  let at = 0;
  while (at < html.length) {
    const next = html.indexOf('<', at);
    const end = next < 0 ? html.length : next;
    if (end > at) addText(open.at(-1) as Element, decodeEntities(html.slice(at, end)));
    if (next < 0) break;
    at = readTag(html, next, open);
  }
  return root;
}

function addText({ children }: Element, text: string): void {
  const last = children.length - 1;
  if (typeof children[last] === 'string') children[last] += text;
  else children.push(text);
}

/** Reads what begins with `<`; returns the position behind it. */
function readTag(html: string, start: number, open: Element[]): number {
  if (html.startsWith('<!--', start)) return after(html, '-->', start + 4);
  if (html[start + 1] === '!' || html[start + 1] === '?') return after(html, '>', start + 2);
  TAG.lastIndex = start;
  const match = TAG.exec(html);
  if (!match) {
    // What looks like a tag and does not end makes the rest text: looking on for each would take quadratic time.
    const end = /[a-zA-Z/]/.test(html[start + 1] ?? '') ? html.length : start + 1;
    addText(open.at(-1) as Element, html.slice(start, end));
    return end;
  }
  const [text, slash, given = '', rest = ''] = match;
  const name = given.toLowerCase();
  const end = start + text.length;
  if (slash) {
    close(open, name);
    return end;
  }
  if (RAW.has(name) && !rest.endsWith('/')) return afterRaw(html, name, end);
  endBefore(open, name);
  const element: Element = { name, attributes: readAttributes(rest), children: [] };
  open.at(-1)?.children.push(element);
  if (!VOID.has(name) && !rest.endsWith('/') && open.length < DEPTH) open.push(element);
  return end;
}

function after(html: string, mark: string, from: number): number {
  const at = html.indexOf(mark, from);
  return at < 0 ? html.length : at + mark.length;
}

function afterRaw(html: string, name: string, from: number): number {
  const end = new RegExp(`</${name}\\s*>`, 'gi');
  end.lastIndex = from;
  return end.exec(html) ? end.lastIndex : html.length;
}

function endBefore(open: Element[], name: string): void {
  const paragraph = ENDS_PARAGRAPH.test(name) ? open.findLastIndex((one) => one.name === 'p') : -1;
  const box = open.findLastIndex((one) => /^(?:td|th|li|table|div)$/.test(one.name));
  if (paragraph > box) open.length = paragraph;
  const rule = Object.hasOwn(ENDS, name) ? ENDS[name] : undefined;
  if (!rule) return;
  const bound = open.findLastIndex((one) => rule.bound.has(one.name));
  const ended = open.findIndex((one, index) => index > bound && rule.ended.has(one.name));
  if (ended > 0) open.length = ended;
}

function close(open: Element[], name: string): void {
  const at = open.findLastIndex((one) => one.name === name);
  // The end tag of something inside of a cell does not end the table around the cell.
  const cell = /^(?:table|tbody|thead|tfoot|tr|td|th)$/.test(name)
    ? -1
    : open.findLastIndex((one) => one.name === 'td' || one.name === 'th');
  if (at > 0 && at > cell) open.length = at;
}

function readAttributes(text: string): Readonly<Record<string, string>> {
  const attributes: Record<string, string> = {};
  for (const [, name = '', double, single, bare] of text.matchAll(ATTRIBUTE))
    attributes[name.toLowerCase()] ??= decodeEntities(double ?? single ?? bare ?? '');
  return attributes;
}
