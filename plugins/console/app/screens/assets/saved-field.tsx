import { useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import type { Named } from '../../list/project-data.ts';
import { announce } from '../../parts/announce.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useAct } from '../../parts/use-act.ts';
import { type ListedAsset, nameOf, saveDescription, TextChanged } from './asset-data.ts';
import { texts } from './texts.ts';

interface SavedFieldProps {
  readonly label: string;
  /** The label is not shown: a column names the field. */
  readonly isBare?: boolean;
  readonly hint?: string;
  readonly lang?: string;
  readonly maxLength: number;
  readonly isReadOnly: boolean;
  /** As the server has it; null = none. */
  readonly stored: string | null;
  /** @throws TextChanged where the server has another text than `shown` by now */
  readonly save: (shown: string | null, wanted: string | null) => Promise<void>;
}

/** A text that is saved when the field is left. What is typed stays, whatever others do. */
export function SavedField({
  label,
  isBare = false,
  hint,
  lang,
  maxLength,
  isReadOnly,
  stored,
  save,
}: SavedFieldProps) {
  const own = texts();
  const id = useId();
  const shown = useSignal(stored);
  const text = useSignal(stored ?? '');
  const { run, error, isBusy } = useAct();
  useEffect(() => {
    if (text.value.trim() === (shown.value ?? '')) {
      shown.value = stored;
      text.value = stored ?? '';
    }
  }, [stored]);
  const commit = () =>
    run(async () => {
      const wanted = text.value.trim() || null;
      if (isReadOnly || wanted === shown.value) return;
      try {
        await save(shown.value, wanted);
        shown.value = wanted;
        announce(own.saved);
      } catch (failure) {
        // Saving again replaces theirs.
        if (failure instanceof TextChanged) shown.value = failure.theirs;
        throw failure;
      }
    });
  // A row that is scrolled away does not lose what was typed.
  const last = useRef(commit);
  last.current = commit;
  useEffect(() => () => void last.current(), []);
  const failed = error.value;
  return (
    <div class={isBare ? 'field bare' : 'field'}>
      {!isBare && <label for={id}>{label}</label>}
      <input
        id={id}
        lang={lang}
        maxLength={maxLength}
        readOnly={isReadOnly}
        value={text.value}
        aria-label={isBare ? label : undefined}
        aria-describedby={hint ? `${id}-hint` : undefined}
        aria-invalid={failed !== undefined}
        aria-busy={isBusy.value}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value;
        }}
        onBlur={() => void commit()}
        onKeyDown={(event) => {
          if (event.key === 'Enter') void commit();
          else if (event.key === 'Escape' && text.value !== (shown.value ?? ''))
            text.value = shown.value ?? '';
          else return;
          event.preventDefault();
        }}
      />
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {failed instanceof TextChanged ? (
        <p class="warning" role="alert">
          {own.changedElsewhere(failed.theirs ?? own.noText)}
        </p>
      ) : (
        failed !== undefined && <Failure error={failed} onRetry={() => void commit()} />
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
  return (
    <SavedField
      label={isBare ? texts().descriptionOf(nameOf(asset), language.name) : language.name}
      isBare={isBare}
      lang={language.codename}
      maxLength={LONGEST}
      isReadOnly={isReadOnly}
      stored={asset.descriptions.find((one) => one.language.id === language.id)?.description ?? null}
      save={(shown, wanted) => saveDescription(project, asset.id, language.id, [shown, wanted])}
    />
  );
}
