import type { ElementValue, ManagedElement } from './managed.ts';

/** A value as text: of rich text the words, a block on a line. Ids of references stay as they are. */
export function plainText(value: ElementValue, isRichText: boolean): string {
  if (Array.isArray(value)) return value.map(({ id }: { readonly id: string }) => id).join('\n');
  const text = String(value ?? '');
  if (!isRichText) return text;
  const words = text
    .replaceAll(/<\/(?:p|li|h[1-6]|td|figure|object)>|<br\/?>/g, '\n')
    .replaceAll(/<[^<>]*>/g, '');
  return unescaped(words).replaceAll(/\n\s*/g, '\n').trim();
}

/** Text of markup, with its characters for their entities. */
export function unescaped(text: string): string {
  return text
    .replaceAll('&nbsp;', '\u00a0')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}

/** The same with the texts of the components in it, which only rich text has. */
export function elementText({ value, components }: ManagedElement): string {
  const inner = (components ?? []).flatMap(({ elements }) => elements.map(elementText));
  return [plainText(value, components !== undefined), ...inner.filter((text) => text !== '')].join('\n');
}
