import { texts } from './texts.ts';
import type { Edits } from './use-edits.ts';

/** Offers what was typed in a form whose page ended before it was saved. */
export function FoundEdits<T>({ edits: { found, restore, drop } }: { readonly edits: Edits<T> }) {
  const t = texts();
  if (found.value === undefined) return null;
  return (
    <section class="notice" aria-label={t.found.title}>
      <p role="alert">
        {t.found.title} {found.value.isOutdated && t.found.outdated}
      </p>
      <div class="actions">
        <button type="button" onClick={() => void drop()}>
          {t.found.drop}
        </button>
        <button type="button" class="primary" onClick={() => void restore()}>
          {t.found.restore}
        </button>
      </div>
    </section>
  );
}
