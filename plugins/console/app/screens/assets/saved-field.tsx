import { useId } from 'preact/hooks';
import type { Named } from '../../list/project-data.ts';
import { assetsTexts } from '../../messages/assets.ts';
import { Failure } from '../../parts/failure.tsx';
import { describedBy } from '../../parts/field.tsx';
import { isOfInputMethod } from '../../parts/input-method.ts';
import { languageTag } from '../../parts/language-tag.ts';
import { type ListedAsset, nameOf } from './asset-data.ts';
import { TextChanged } from './edited-text.ts';
import { type AssetText, useEditedText } from './unsaved-texts.ts';

interface SavedFieldProps {
  readonly of: AssetText;
  /** As the server has it; null = none. */
  readonly stored: string | null;
  readonly label: string;
  /** The label is not shown: a column names the field. */
  readonly isBare?: boolean;
  readonly hint?: string;
  readonly lang?: string;
  readonly maxLength: number;
  readonly isReadOnly: boolean;
}

/** A text that is saved when the field is left. What is typed stays, whatever others do. */
export function SavedField({
  of,
  stored,
  label,
  isBare = false,
  hint,
  lang,
  maxLength,
  isReadOnly,
}: SavedFieldProps) {
  const own = assetsTexts();
  const id = useId();
  const typed = useEditedText(of, stored);
  const failed = typed.error.value;
  const save = () => void typed.save();
  return (
    <div class={isBare ? 'field bare' : 'field'}>
      {!isBare && <label for={id}>{label}</label>}
      <input
        id={id}
        lang={lang}
        maxLength={maxLength}
        readOnly={isReadOnly}
        value={typed.text.value}
        aria-label={isBare ? label : undefined}
        aria-describedby={describedBy(id, hint, failed)}
        aria-invalid={failed !== undefined}
        aria-busy={typed.isSaving.value}
        onInput={({ currentTarget }) => typed.type(currentTarget.value)}
        onBlur={save}
        onKeyDown={(event) => {
          if (isOfInputMethod(event)) return;
          if (event.key === 'Enter') save();
          else if (event.key === 'Escape' && typed.isUnsaved) typed.reset();
          else return;
          event.preventDefault();
        }}
      />
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {failed !== undefined && (
        <div id={`${id}-error`}>
          {failed instanceof TextChanged ? (
            <p class="warning" role="alert">
              {own.changedElsewhere(failed.theirs ?? own.noText)}
            </p>
          ) : (
            <Failure error={failed} onRetry={save} />
          )}
        </div>
      )}
    </div>
  );
}

/** Characters of a description. */
const LONGEST = 500;

interface DescriptionFieldProps {
  readonly project: string;
  readonly asset: ListedAsset;
  readonly language: Named;
  readonly isBare?: boolean;
  readonly isReadOnly?: boolean;
}

/** The description of an asset in one language. */
export function DescriptionField({
  project,
  asset,
  language,
  isBare = false,
  isReadOnly = false,
}: DescriptionFieldProps) {
  const name = nameOf(asset);
  return (
    <SavedField
      of={{ project, asset: asset.id, name, language }}
      stored={asset.descriptions.find((one) => one.language.id === language.id)?.description ?? null}
      label={isBare ? assetsTexts().descriptionOf(name, language.name) : language.name}
      isBare={isBare}
      lang={languageTag(language.codename)}
      maxLength={LONGEST}
      isReadOnly={isReadOnly}
    />
  );
}
