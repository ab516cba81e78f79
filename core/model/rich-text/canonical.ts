import { isTurnLong, nextTurn } from '../../turns/turn.ts';

/**
 * The stored form of rich text, which only `parse-rich-text.ts` writes. Readers rely on this: every `<` starts a tag and
 * every `>` ends one, names are lower case, every attribute has a value in double quotes, attributes have a fixed order,
 * `&`, `<`, `>` and (in attributes) `"` are escaped, references are internal ids, objects have no media type (which is a
 * setting).
 */

/** The stored form of an empty element, which management returns. */
export const CANONICAL_EMPTY_RICH_TEXT = '<p><br/></p>';

export type Attributes = Readonly<Record<string, string>>;

const TAG = /<(a|figure|img|object|br)((?: [a-z-]+="[^"]*")*)\/?>/g;
const ATTRIBUTE = / ([a-z-]+)="([^"]*)"/g;
const OBJECT_END = '</object>';
const FIGURE_END = '</figure>';

/** Tags that are rewritten before the turn may end: 0.1 ms. */
const TAGS = 32;

/**
 * Rewrites each link, figure, image, object and line break of canonical HTML. Yields to other requests.
 * @param visit returns the new text of the opening tag; `undefined` removes a figure or object with its content
 */
export async function rewriteTags(
  html: string,
  visit: (tag: string, attributes: Attributes) => string | undefined,
): Promise<string> {
  if (!html.includes('<')) return html;
  // Joined at the end: repeated concatenation costs the garbage collector four times as much.
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
    // Canonical HTML always has an end tag; without one the rest is removed.
    const end = tag === 'object' ? OBJECT_END : FIGURE_END;
    const close = html.indexOf(end, at);
    if (close < 0) return out.join('');
    at = close + end.length;
  }
  out.push(html.slice(at));
  return out.join('');
}

/** Sets the position first: the expression is shared, and another text may have been read since the last call. */
function nextTag(html: string, at: number): RegExpExecArray | null {
  TAG.lastIndex = at;
  return TAG.exec(html);
}

/** Returns unescaped values. */
function readAttributes(text: string): Attributes {
  const attributes: Record<string, string> = {};
  if (text === '') return attributes;
  for (const [, name, value] of text.matchAll(ATTRIBUTE))
    attributes[name as string] = unescapeHtml(value as string);
  return attributes;
}

/** `<name a="…" b="…">`; without attributes that have no value. */
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
