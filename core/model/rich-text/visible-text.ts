/** Marks within a word; any other tag separates words. */
const MARKS = /<\/?(?:strong|em|sup|sub|code|a)(?: [^<>]*)?>/g;
const TAGS = /<[^<>]*>/g;
const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&nbsp;': ' ',
};

/** The text of canonical rich text, as people read it. */
export function visibleText(html: string): string {
  if (!html.includes('<') && !html.includes('&')) return html;
  return html
    .replace(MARKS, '')
    .replace(TAGS, ' ')
    .replace(/&(?:amp|lt|gt|quot|nbsp);/g, (entity) => ENTITIES[entity] ?? entity)
    .replace(/\s+/g, ' ')
    .trim();
}
