import { isTurnLong, nextTurn } from '../../turns/turn.ts';

/**
 * The stored form of rich text. The writer of `parse-rich-text.ts` is the only source of it, so readers may
 * rely on this: every `<` starts a tag and every `>` ends one, names are lower case, every attribute has a
 * value in double quotes, attributes stand in a fixed order, `&`, `<`, `>` and (in attributes) `"` are
 * escaped, references are internal ids, objects carry no media type (that is the vendor's, a setting).
 */

/** What an empty element reads back as in management. */
export const CANONICAL_EMPTY_RICH_TEXT = '<p><br/></p>';

export type Attributes = Readonly<Record<string, string>>;

const TAG = /<(a|figure|img|object|br)((?: [a-z-]+="[^"]*")*)\/?>/g;
const ATTRIBUTE = / ([a-z-]+)="([^"]*)"/g;
const OBJECT_END = '</object>';
const FIGURE_END = '</figure>';

/** Tags that are written anew before others may have their turn: 0.1 ms. */
const TAGS = 32;

/**
 * Writes each link, figure, image, object and line break of canonical HTML anew. Others have their turn meanwhile.
 * @param visit gives the new text of the opening tag; `undefined` removes a figure or object with all in it
 */
export async function rewriteTags(
  html: string,
  visit: (tag: string, attributes: Attributes) => string | undefined,
): Promise<string> {
  if (!html.includes('<')) return html;
  // Joined at the end: what is added up piece by piece costs the garbage collector four times as much.
  const out: string[] = [];
  let at = 0;
  for (let match = nextTag(html, at), count = 1; match; match = nextTag(html, at), count += 1) {
    if (count % TAGS === 0 && isTurnLong()) await nextTurn();
    out.push(html.slice(at, match.index));
    at = match.index + match[0].length;
    const tag = match[1] as string;
    const text = visit(tag, readAttributes(match[2] as string));
    if (text !== undefined) {
      out.push(text);
      continue;
    }
    // Without an end, which canonical HTML always has, nothing behind it can have one: all of it goes.
    const end = tag === 'object' ? OBJECT_END : FIGURE_END;
    const close = html.indexOf(end, at);
    if (close < 0) return out.join('');
    at = close + end.length;
  }
  out.push(html.slice(at));
  return out.join('');
}

/** The expression is shared: another text may have been read since the last call. */
function nextTag(html: string, at: number): RegExpExecArray | null {
  TAG.lastIndex = at;
  return TAG.exec(html);
}

/** Values come unescaped. */
function readAttributes(text: string): Attributes {
  const attributes: Record<string, string> = {};
  for (const [, name, value] of text.matchAll(ATTRIBUTE))
    attributes[name as string] = unescapeHtml(value as string);
  return attributes;
}

/** `<name a="…" b="…">`; attributes without a value are left out. */
export function openTag(
  name: string,
  attributes: readonly (readonly [string, string | undefined])[],
): string {
  return `<${name}${attributesText(attributes)}>`;
}

export function attributesText(attributes: readonly (readonly [string, string | undefined])[]): string {
  let out = '';
  for (const [key, value] of attributes)
    if (value !== undefined) out += ` ${key}="${escapeAttribute(value)}"`;
  return out;
}

export function escapeText(text: string): string {
  return /[&<>\u00a0]/.test(text)
    ? text
        .replaceAll('&', '&amp;')
        .replaceAll('<', '&lt;')
        .replaceAll('>', '&gt;')
        .replaceAll('\u00a0', '&nbsp;')
    : text;
}

export function escapeAttribute(text: string): string {
  return /[&<>"]/.test(text)
    ? text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
    : text;
}

function unescapeHtml(text: string): string {
  if (!text.includes('&')) return text;
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&gt;', '>')
    .replaceAll('&lt;', '<')
    .replaceAll('&nbsp;', '\u00a0')
    .replaceAll('&amp;', '&');
}
