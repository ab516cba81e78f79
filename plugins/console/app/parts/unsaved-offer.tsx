import type { CopyOffer } from '../copies/copy-offer.ts';
import { formatTime, messages } from '../messages/messages.ts';

/** Lines of what was typed that are shown. */
const SHOWN = 5;

/** Offers what was typed in a form that ended before it was saved. */
export function UnsavedOffer<T>({ offer }: { readonly offer: CopyOffer<T> }) {
  const { unsaved: texts } = messages();
  const offered = offer.offered.value;
  if (offered === undefined) return null;
  const lines = offer.lines();
  return (
    <section class="notice" aria-label={texts.title}>
      <p role="alert">
        {texts.title} {offered.isOutdated && texts.outdated}
      </p>
      <p>{texts.typedAt(formatTime(offered.at))}</p>
      <ul>
        {lines.slice(0, SHOWN).map((line, at) => (
          <li key={at}>{line}</li>
        ))}
        {lines.length > SHOWN && <li>{texts.more(lines.length - SHOWN)}</li>}
      </ul>
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
