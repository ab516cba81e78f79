import { useSignal, useSignalEffect } from '@preact/signals';
import { itemTexts } from '../../messages/item.ts';
import type { InputProps } from './input-props.ts';
import { LimitedTextarea } from './limited-textarea.tsx';

/** Characters of a part: in a longer one the browser takes too long for a key press. */
const PART = 50_000;

/** The markup of a rich text as it is stored, in parts with a field each. */
export function MarkupInput({ element, describedBy, isReadOnly }: Omit<InputProps, 'id'>) {
  const parts = useSignal(partsOf(String(element.value.peek())));
  useSignalEffect(() => {
    const markup = String(element.value.value);
    if (markup !== parts.peek().join('')) parts.value = partsOf(markup);
  });
  return (
    <>
      {parts.value.map((part, index) => (
        <LimitedTextarea
          key={index}
          class="markup"
          aria-label={itemTexts().richText.part(element.definition.name, index + 1, parts.value.length)}
          aria-describedby={describedBy}
          readOnly={isReadOnly}
          spellcheck={false}
          rows={12}
          value={part}
          onInput={({ currentTarget }) => {
            parts.value = parts.value.with(index, currentTarget.value);
            element.set(parts.value.join(''));
          }}
        />
      ))}
    </>
  );
}

function partsOf(markup: string): readonly string[] {
  const parts: string[] = [];
  let start = 0;
  do {
    let end = start + PART;
    // Both halves of a character stay together.
    if (/[\udc00-\udfff]/.test(markup.charAt(end))) end += 1;
    parts.push(markup.slice(start, end));
    start = end;
  } while (start < markup.length);
  return parts;
}
