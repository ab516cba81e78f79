import { useSignal } from '@preact/signals';
import type { TextareaHTMLAttributes } from 'preact';
import { itemTexts } from '../../messages/item.ts';
import { formatNumber } from '../../messages/messages.ts';
import { LARGEST } from '../../rich-text/largest.ts';

/** A field of several lines that refuses what would make a key press in it take too long. */
export function LimitedTextarea(props: TextareaHTMLAttributes) {
  /** Length that the text would have had. */
  const refused = useSignal<number | undefined>(undefined);
  return (
    <>
      <textarea
        {...props}
        onBeforeInput={(event) => {
          const { value, selectionStart, selectionEnd } = event.currentTarget;
          // A deletion has no data, and must be possible in a text that is too long.
          const added = event.inputType === 'insertLineBreak' ? 1 : (event.data?.length ?? 0);
          const size = value.length - (selectionEnd - selectionStart) + added;
          const isRefused = size > LARGEST && size > value.length;
          refused.value = isRefused ? size : undefined;
          if (isRefused) event.preventDefault();
        }}
      />
      {refused.value !== undefined && (
        <p class="notice" role="alert">
          {itemTexts().notInserted(formatNumber(refused.value), formatNumber(LARGEST))}
        </p>
      )}
    </>
  );
}
