import { Link } from 'wouter-preact';
import { assetsTexts } from '../../messages/assets.ts';
import { messages } from '../../messages/messages.ts';
import { Failure } from '../../parts/failure.tsx';
import { assetPath } from './asset-data.ts';
import { TextChanged } from './edited-text.ts';
import { hasCopy, type UnsavedText, unsavedTexts } from './unsaved-texts.ts';

/** Texts of the project that were typed in fields that were left, and that could not be saved. */
export function UnsavedTexts({ project }: { readonly project: string }) {
  const own = assetsTexts();
  const shown = unsavedTexts.value.filter(({ of, typed }) => of.project === project && !typed.isSaving.value);
  if (shown.length === 0) return null;
  const title = own.unsaved.title(hasCopy.value !== false);
  return (
    <section class="failure" aria-label={title}>
      <p role="alert">{title}</p>
      <ul>
        {shown.map((one) => (
          <Line key={one.key} text={one} />
        ))}
      </ul>
    </section>
  );
}

function Line({ text: { of, typed } }: { readonly text: UnsavedText }) {
  const own = assetsTexts();
  const error = typed.error.value;
  return (
    <li>
      <Link href={assetPath(of.project, of.asset)}>{of.name}</Link>,{' '}
      {messages().unsaved.field(of.language?.name ?? own.detail.titleField, typed.text.value)}
      {error instanceof TextChanged ? (
        <p>{own.changedElsewhere(error.theirs ?? own.noText)}</p>
      ) : (
        <Failure error={error} />
      )}
      <div class="actions">
        <button type="button" onClick={() => typed.reset()}>
          {own.unsaved.discard}
        </button>
        <button type="button" onClick={() => void typed.save()}>
          {own.unsaved.save}
        </button>
      </div>
    </li>
  );
}
