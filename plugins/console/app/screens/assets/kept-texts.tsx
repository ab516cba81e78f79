import { Link } from 'wouter-preact';
import { Failure } from '../../parts/failure.tsx';
import { assetPath } from './asset-data.ts';
import { texts } from './texts.ts';
import { TextChanged } from './typed-text.ts';
import { isKept, type KeptText, keptTexts } from './typed-texts.ts';

/** Texts of the project that were typed in fields that were left, and that could not be saved. */
export function KeptTexts({ project }: { readonly project: string }) {
  const own = texts();
  const kept = keptTexts.value.filter(({ of, typed }) => of.project === project && !typed.isSaving.value);
  if (kept.length === 0) return null;
  const title = own.kept.title(isKept.value !== false);
  return (
    <section class="failure" aria-label={title}>
      <p role="alert">{title}</p>
      <ul>
        {kept.map((one) => (
          <Line key={one.key} kept={one} />
        ))}
      </ul>
    </section>
  );
}

function Line({ kept: { of, typed } }: { readonly kept: KeptText }) {
  const own = texts();
  const error = typed.error.value;
  return (
    <li>
      <Link href={assetPath(of.project, of.asset)}>{of.name}</Link>,{' '}
      {of.language?.name ?? own.detail.titleField}: “{typed.text.value}”
      {error instanceof TextChanged ? (
        <p>{own.changedElsewhere(error.theirs ?? own.noText)}</p>
      ) : (
        error !== undefined && <Failure error={error} />
      )}
      <div class="actions">
        <button type="button" onClick={() => typed.reset()}>
          {own.kept.discard}
        </button>
        <button type="button" onClick={() => void typed.save()}>
          {own.kept.save}
        </button>
      </div>
    </li>
  );
}
