import { messages } from '../messages/messages.ts';
import type { CopyOffer } from './copy-offer.ts';

/** Offers what was typed in a form that ended before it was saved. */
export function UnsavedOffer<T>({ offer }: { readonly offer: CopyOffer<T> }) {
  const { unsaved: texts } = messages();
  const offered = offer.offered.value;
  if (offered === undefined) return null;
  return (
    <section class="notice" aria-label={texts.title}>
      <p role="alert">
        {texts.title} {offered.isOutdated && texts.outdated}
      </p>
      <div class="actions">
        <button type="button" onClick={() => void offer.discard()}>
          {texts.discard}
        </button>
        <button type="button" class="primary" onClick={() => void offer.restore()}>
          {texts.restore}
        </button>
      </div>
    </section>
  );
}
