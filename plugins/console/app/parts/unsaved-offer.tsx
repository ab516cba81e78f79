import type { ReadonlySignal } from '@preact/signals';
import { messages } from '../messages/messages.ts';

interface UnsavedOfferProps {
  readonly found: ReadonlySignal<{ readonly isOutdated: boolean } | undefined>;
  readonly restore: () => Promise<void>;
  readonly drop: () => Promise<void>;
}

/** Offers what was typed in a form that ended before it was saved. */
export function UnsavedOffer({ found, restore, drop }: UnsavedOfferProps) {
  const { unsaved: texts } = messages();
  if (found.value === undefined) return null;
  return (
    <section class="notice" aria-label={texts.title}>
      <p role="alert">
        {texts.title} {found.value.isOutdated && texts.outdated}
      </p>
      <div class="actions">
        <button type="button" onClick={() => void drop()}>
          {texts.drop}
        </button>
        <button type="button" class="primary" onClick={() => void restore()}>
          {texts.restore}
        </button>
      </div>
    </section>
  );
}
