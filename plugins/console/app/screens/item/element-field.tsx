import { useId } from 'preact/hooks';
import { ChoiceInput, TaxonomyInput } from './choice-inputs.tsx';
import type { ElementForm } from './element-form.ts';
import { type Finding, findingsOf, lengthOf } from './findings.ts';
import { useForm } from './form-context.ts';
import type { InputProps } from './input-props.ts';
import { AssetsInput, ItemsInput } from './reference-inputs.tsx';
import { RichTextInput } from './rich-text-input.tsx';
import { DateTimeInput, NumberInput, SlugInput, TextInput } from './text-inputs.tsx';
import { texts } from './texts.ts';

interface ElementFieldProps {
  readonly element: ElementForm;
  /** Name of another element of the form. */
  readonly nameOf: (id: string) => string | undefined;
}

/** Kinds that are several inputs: a group with a name. */
const GROUPED = new Set(['multiple_choice', 'taxonomy', 'asset', 'modular_content', 'rich_text']);

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
      <Input {...input} nameOf={nameOf} />
      <Findings element={element} id={`${id}-findings`} />
    </>
  );
  return GROUPED.has(definition.type) ? (
    <fieldset class="element" data-element={definition.codename}>
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

function Input({ nameOf, ...props }: InputProps & Pick<ElementFieldProps, 'nameOf'>) {
  const { definition } = props.element;
  switch (definition.type) {
    case 'text':
      return <TextInput {...props} />;
    case 'custom':
      return <TextInput {...props} />;
    case 'number':
      return <NumberInput {...props} />;
    case 'date_time':
      return <DateTimeInput {...props} />;
    case 'url_slug':
      return <SlugInput {...props} source={nameOf(definition.depends_on.element.id) ?? ''} />;
    case 'multiple_choice':
      return <ChoiceInput {...props} definition={definition} />;
    case 'taxonomy':
      return <TaxonomyInput {...props} definition={definition} />;
    case 'asset':
      return <AssetsInput {...props} />;
    case 'modular_content':
      return <ItemsInput {...props} definition={definition} />;
    case 'rich_text':
      return <RichTextInput {...props} definition={definition} />;
  }
}

function Findings({ element, id }: { readonly element: ElementForm; readonly id: string }) {
  const { definition } = element;
  const value = element.value.value;
  const length = lengthOf(definition, value);
  const found = findingsOf(definition, value);
  return (
    <div class="findings" id={id}>
      {length && <span>{texts().length[length.limit.applies_to](length.count, length.limit.value)}</span>}
      {found
        .filter(({ kind }) => kind !== 'length' || !length)
        .map((finding) => (
          <p key={finding.kind}>{findingText(finding)}</p>
        ))}
      {length && length.count > length.limit.value && <span aria-hidden="true"> ⚠</span>}
    </div>
  );
}

function findingText(finding: Finding): string {
  switch (finding.kind) {
    case 'required':
      return texts().required;
    case 'number':
      return texts().notNumber;
    case 'length':
      return texts().length[finding.limit.applies_to](finding.count, finding.limit.value);
    case 'count':
      return texts().count[finding.limit.condition](finding.count, finding.limit.value);
  }
}

function Conflict({ element }: { readonly element: ElementForm }) {
  const theirs = element.theirs.value;
  if (!theirs) return null;
  return (
    <div class="failure" role="alert">
      <p>{texts().conflict}</p>
      <p>
        {texts().theirs}:{' '}
        {String(typeof theirs.value === 'object' ? JSON.stringify(theirs.value) : theirs.value)}
      </p>
      <button type="button" onClick={() => element.choose(true)}>
        {texts().mine}
      </button>{' '}
      <button type="button" onClick={() => element.choose(false)}>
        {texts().theirs}
      </button>
    </div>
  );
}
