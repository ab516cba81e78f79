import { useId } from 'preact/hooks';
import { itemTexts } from '../../messages/item.ts';
import { savingTexts } from '../../messages/saving.ts';
import { ServerText } from '../../parts/server-text.tsx';
import type { ElementForm } from './element-form.ts';
import { ElementInput, GROUPED, ONE_INPUT } from './element-input.tsx';
import { type Finding, findingsOf, lengthOf } from './findings.ts';
import { useForm } from './form-context.ts';
import { SourceField } from './source-field.tsx';
import { TheirValue } from './their-value.tsx';

interface ElementFieldProps {
  readonly element: ElementForm;
  /** Name of another element of the form. */
  readonly nameOf: (id: string) => string | undefined;
}

/** An element with its name, guidelines, counter and findings. */
export function ElementField({ element, nameOf }: ElementFieldProps) {
  const { definition } = element;
  const { isReadOnly } = useForm();
  const id = useId();
  const input = { element, id, isReadOnly, describedBy: `${id}-hint ${id}-findings` };
  const name = (
    <>
      {definition.name}
      {definition.is_required && <span aria-hidden="true"> *</span>}
    </>
  );
  const content = (
    <>
      <p class="hint" id={`${id}-hint`}>
        {definition.guidelines}
      </p>
      <Conflict element={element} />
      <ElementInput {...input} nameOf={nameOf} />
      <Findings element={element} id={`${id}-findings`} />
      <SourceField element={element} nameOf={nameOf} />
    </>
  );
  return GROUPED.has(definition.type) ? (
    <fieldset
      class="element"
      data-element={definition.codename}
      // A text says it itself, where the focus is.
      aria-describedby={ONE_INPUT.has(definition.type) ? undefined : input.describedBy}
    >
      <legend id={`${id}-label`}>{name}</legend>
      {content}
    </fieldset>
  ) : (
    <div class="field element" data-element={definition.codename}>
      <label for={id} id={`${id}-label`}>
        {name}
      </label>
      {content}
    </div>
  );
}

function Findings({ element, id }: { readonly element: ElementForm; readonly id: string }) {
  const { definition } = element;
  const value = element.value.value;
  const length = lengthOf(definition, value);
  const found = findingsOf(definition, value);
  return (
    <div class="findings" id={id}>
      {length && <span>{itemTexts().length[length.limit.applies_to](length.count, length.limit.value)}</span>}
      {found
        .filter(({ kind }) => kind !== 'length' || !length)
        .map((finding) => (
          <p key={finding.kind}>{findingText(finding)}</p>
        ))}
      {element.isRemoved.value && <p>{savingTexts().removedHere}</p>}
      {/* What is no number is said already. */}
      {!found.some(({ kind }) => kind === 'number') &&
        element.refused.value.map((message) => (
          <p key={message} role="alert">
            <ServerText text={message} />
          </p>
        ))}
      <PublishFindings element={element} isLive={found.length > 0} />
      {length && length.count > length.limit.value && <span aria-hidden="true"> ⚠</span>}
    </div>
  );
}

/** @param isLive the form finds something itself, which is said already */
function PublishFindings({ element, isLive }: { readonly element: ElementForm; readonly isLive: boolean }) {
  return (
    <>
      {element.publishFindings.value.map((finding, at) =>
        'dangling' in finding ? (
          <p key={at}>{savingTexts().dangling[finding.dangling](finding.to)}</p>
        ) : (
          !(finding.isWhole && isLive) && (
            <p key={at}>
              <ServerText text={finding.message} />
            </p>
          )
        ),
      )}
    </>
  );
}

function findingText(finding: Finding): string {
  switch (finding.kind) {
    case 'required':
      return itemTexts().required;
    case 'number':
      return itemTexts().notNumber;
    case 'length':
      return itemTexts().length[finding.limit.applies_to](finding.count, finding.limit.value);
    case 'count':
      return itemTexts().count[finding.limit.condition](finding.count, finding.limit.value);
  }
}

function Conflict({ element }: { readonly element: ElementForm }) {
  const theirs = element.theirs.value;
  if (!theirs) return null;
  return (
    <div class="failure" role="alert">
      <p>{itemTexts().conflict}</p>
      <p>
        {itemTexts().theirs}: <TheirValue definition={element.definition} theirs={theirs} />
      </p>
      <button type="button" onClick={() => element.choose(true)}>
        {itemTexts().mine}
      </button>{' '}
      <button type="button" onClick={() => element.choose(false)}>
        {itemTexts().theirs}
      </button>
    </div>
  );
}
