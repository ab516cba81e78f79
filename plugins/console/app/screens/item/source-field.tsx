import { useId, useMemo } from 'preact/hooks';
import { historyTexts } from '../../messages/history.ts';
import { itemTexts } from '../../messages/item.ts';
import { announce } from '../../parts/announce.tsx';
import { languageTag } from '../../parts/language-tag.ts';
import { DiffText } from '../../text-diff/diff-text.tsx';
import type { ElementForm } from './element-form.ts';
import { ElementInput, GROUPED } from './element-input.tsx';
import { FormContext, useForm } from './form-context.ts';
import { copyElement } from './source-variant.ts';

interface SourceFieldProps {
  readonly element: ElementForm;
  readonly nameOf: (id: string) => string | undefined;
}

/** The same element in the language beside this one: its value, and what changed in it since. */
export function SourceField({ element, nameOf }: SourceFieldProps) {
  const form = useForm();
  const id = useId();
  const source = form.source.value;
  const beside = source?.elements.get(element.definition.id);
  const inner = useMemo(
    () => ({
      ...form,
      elements: source?.elements ?? form.elements,
      language: source?.language.id ?? form.language,
      isReadOnly: true,
    }),
    [form, source],
  );
  // Components have the ids of the elements of their type, but no counterpart.
  if (!source || !beside || form.elements.get(element.definition.id) !== element) return null;
  const { definition } = element;
  const { name } = source.language;
  const label = itemTexts().sourceOf(name, definition.name);
  const parts = source.changes?.get(definition.id);
  const lang = languageTag(source.language.codename);
  return (
    <section class="source" aria-label={label}>
      {GROUPED.has(definition.type) ? (
        <p class="label" id={`${id}-label`}>
          {label}
        </p>
      ) : (
        <label id={`${id}-label`} for={id}>
          {label}
        </label>
      )}
      {definition.type === 'custom' ? (
        <pre lang={lang}>{String(beside.value.value ?? '')}</pre>
      ) : (
        <FormContext.Provider value={inner}>
          <ElementInput element={beside} id={id} describedBy="" isReadOnly nameOf={nameOf} />
        </FormContext.Provider>
      )}
      {parts && (
        <>
          <p class="hint">{itemTexts().changedIn(name)}</p>
          <div lang={lang}>
            <DiffText parts={parts} words={historyTexts().diff} />
          </div>
        </>
      )}
      {!form.isReadOnly && (
        <button
          type="button"
          onClick={() => {
            copyElement(beside, element);
            announce(itemTexts().copied(definition.name));
          }}
        >
          {itemTexts().copyFrom(name)}
        </button>
      )}
    </section>
  );
}
