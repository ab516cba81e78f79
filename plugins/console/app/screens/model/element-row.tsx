import { modelTexts } from '../../messages/model.ts';
import type { ContentModel } from '../item/form-groups.ts';
import type { Definition, Element } from './definition.ts';
import { dropTarget, handle } from './drag.ts';
import { ElementForm } from './element-form.tsx';
import { MoveButtons } from './move-buttons.tsx';
import type { Side } from './tree.ts';

interface ElementRowProps {
  readonly element: Element;
  readonly definition: Definition;
  readonly model: ContentModel;
  readonly isOpen: boolean;
  readonly isAdded: boolean;
  readonly onToggle: () => void;
  readonly onUp: (() => void) | undefined;
  readonly onDown: (() => void) | undefined;
  readonly onDrop: (dropped: string, side: Side) => void;
  readonly onRemove: () => void;
  readonly onChange: (element: Element, field?: string) => void;
}

/** An element in the list of its type or snippet; opened, with its settings. */
export function ElementRow(props: ElementRowProps) {
  const { element, definition, model, isOpen, isAdded, onToggle, onUp, onDown, onDrop, onRemove, onChange } =
    props;
  const t = modelTexts();
  const name = elementName(element, model);
  return (
    <li {...dropTarget('elements', element.id, false, onDrop)}>
      <div class="model-row">
        <span class="handle" title={t.drag} aria-hidden="true" {...handle('elements', element.id)} />
        <strong>{name}</strong>
        <span class="muted">{t.kinds[element.type]}</span>
        <code>{element.codename}</code>
        <span class="acts">
          <button type="button" aria-expanded={isOpen} aria-label={t.edit(name)} onClick={onToggle}>
            ✎
          </button>
          <MoveButtons name={name} onUp={onUp} onDown={onDown} onRemove={onRemove} />
        </span>
      </div>
      {isOpen && (
        <ElementForm
          element={element}
          definition={definition}
          model={model}
          hasFocus={isAdded}
          onChange={onChange}
        />
      )}
    </li>
  );
}

export function elementName(element: Element, model: ContentModel): string {
  const t = modelTexts();
  if (element.snippet) return model.snippets.get(element.snippet.id)?.name ?? t.kinds.snippet;
  return element.name || (element.type === 'guidelines' ? t.kinds.guidelines : t.unnamed);
}
