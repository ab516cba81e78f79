import type { Page } from 'playwright-core';
import { isLongForm } from '../long-form.ts';
import { HOSTILE_STRINGS } from '../projects/hostile-strings.ts';

/** Markup, an address, characters that combine, and what ends an attribute are among those of the short form. */
const EACH = 34;
/** Typed one by one; each field gets all of them together as well. */
const SINGLE = isLongForm ? HOSTILE_STRINGS : HOSTILE_STRINGS.filter((_, at) => at % EACH === 0);

/**
 * Types hostile texts into each field of a part of the page, without waiting for what the page does with it; rich text has
 * them pasted, as text and as markup.
 *
 * @param scope selector of the part
 * @returns number of fields
 */
export function typeHostile(
  page: Page,
  scope: string,
  texts = HOSTILE_STRINGS,
  single = SINGLE,
): Promise<number> {
  return page.evaluate(`(() => {
    const texts = ${JSON.stringify(texts)};
    const single = ${JSON.stringify(single)};
    const part = document.querySelector(${JSON.stringify(scope)});
    const plain = part.querySelectorAll(
      'input:not([type=checkbox], [type=radio], [type=file]):enabled:read-write, textarea:enabled:read-write',
    );
    for (const field of plain) {
      // The setter of the page's framework would take this for its own.
      const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value');
      const type = (text) => {
        set.call(field, text);
        field.dispatchEvent(new Event('input', { bubbles: true }));
      };
      for (const text of single) type(text);
      type(texts.join('\\n').slice(0, field.maxLength > 0 ? field.maxLength : undefined));
      field.dispatchEvent(new Event('change', { bubbles: true }));
    }
    const rich = [...part.querySelectorAll('[contenteditable=true]')];
    for (const field of rich)
      for (const [kind, separator] of [['text/html', ''], ['text/html', '<p>x</p>'], ['text/plain', '\\n\\n']]) {
        field.focus();
        const clipboardData = new DataTransfer();
        clipboardData.setData(kind, texts.join(separator));
        field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
      }
    return plain.length + rich.length;
  })()`);
}
