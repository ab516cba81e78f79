/** Text and attributes as the service stores them. */

export function escapeText(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\u00a0', '&nbsp;');
}

/** ` name="value"` of each attribute that has a value. */
export function attributesText(attributes: readonly (readonly [string, string | null])[]): string {
  return attributes
    .map(([name, value]) => (value === null ? '' : ` ${name}="${escapeAttribute(value)}"`))
    .join('');
}

function escapeAttribute(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

export function unescapeText(text: string): string {
  if (!text.includes('&')) return text;
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&gt;', '>')
    .replaceAll('&lt;', '<')
    .replaceAll('&nbsp;', '\u00a0')
    .replaceAll('&amp;', '&');
}

/** Without characters that no text has, which some programs put into the clipboard. */
export function withoutControls(text: string): string {
  return text.replace(/(?![\t\n\r\f])\p{Cc}|\ufeff/gu, '');
}
