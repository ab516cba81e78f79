import { itemTexts } from '../../messages/item.ts';
import { useForm } from './form-context.ts';
import type { InputProps } from './input-props.ts';
import type { Reference, Term, ValueDefinition } from './managed.ts';

type Definition<Kind> = Extract<ValueDefinition, { readonly type: Kind }>;

export function ChoiceInput({
  element,
  id,
  isReadOnly,
  definition: { mode, options },
}: InputProps & { readonly definition: Definition<'multiple_choice'> }) {
  const chosen = idsOf(element.value.value);
  const isSingle = mode === 'single';
  return (
    <div>
      {isSingle && (
        <label class="check">
          <input
            type="radio"
            name={id}
            disabled={isReadOnly}
            checked={chosen.length === 0}
            onChange={() => element.set([])}
          />{' '}
          {itemTexts().none}
        </label>
      )}
      {options.map((option) => (
        <label key={option.id} class="check">
          <input
            type={isSingle ? 'radio' : 'checkbox'}
            name={id}
            disabled={isReadOnly}
            checked={chosen.includes(option.id)}
            onChange={(event) => {
              const others = isSingle ? [] : chosen.filter((one) => one !== option.id);
              element.set(references(event.currentTarget.checked ? [...others, option.id] : others));
            }}
          />{' '}
          {option.name}
        </label>
      ))}
    </div>
  );
}

export function TaxonomyInput({
  element,
  isReadOnly,
  definition,
}: InputProps & { readonly definition: Definition<'taxonomy'> }) {
  const { model } = useForm();
  const chosen = idsOf(element.value.value);
  const tree = (terms: readonly Term[]) => (
    <ul class="terms">
      {terms.map((term) => (
        <li key={term.id}>
          <label class="check">
            <input
              type="checkbox"
              disabled={isReadOnly}
              checked={chosen.includes(term.id)}
              onChange={(event) => {
                const others = chosen.filter((one) => one !== term.id);
                element.set(references(event.currentTarget.checked ? [...others, term.id] : others));
              }}
            />{' '}
            {term.name}
          </label>
          {term.terms.length > 0 && tree(term.terms)}
        </li>
      ))}
    </ul>
  );
  return tree(model.taxonomies.get(definition.taxonomy_group.id)?.terms ?? []);
}

function idsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? (value as readonly Reference[]).map(({ id }) => id) : [];
}

function references(ids: readonly string[]): readonly Reference[] {
  return ids.map((id) => ({ id }));
}
