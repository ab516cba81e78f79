import { useSignal } from '@preact/signals';
import { modelTexts } from '../../messages/model.ts';
import { announce } from '../../parts/announce.tsx';
import { Choice } from '../../parts/field.tsx';
import type { ContentModel } from '../item/form-groups.ts';
import {
  codenameOf,
  type Definition,
  type Element,
  elementsIn,
  KINDS,
  type Kind,
  moved,
  newId,
} from './definition.ts';
import { ElementRow, elementName } from './element-row.tsx';
import { GroupTabs } from './group-tabs.tsx';
import { Names } from './names.tsx';

interface DefinitionFormProps {
  readonly definition: Definition;
  readonly model: ContentModel;
  readonly onChange: (definition: Definition, field?: string) => void;
}

/** A type or snippet: its name, groups and elements. */
export function DefinitionForm({ definition, model, onChange }: DefinitionFormProps) {
  const t = modelTexts();
  const { content_groups: groups, elements } = definition;
  const chosenGroup = useSignal<string | undefined>(undefined);
  const open = useSignal<ReadonlySet<string>>(new Set());
  /** The element that was added last: its form gets the focus. */
  const added = useSignal<string | undefined>(undefined);
  const group = groups?.find(({ id }) => id === chosenGroup.value)?.id ?? groups?.[0]?.id;
  const shown = elementsIn(definition, group);
  const setElements = (next: readonly Element[], field?: string) =>
    onChange({ ...definition, elements: next }, field);
  const move = (id: string, before: string | undefined) => {
    const next = moved(elements, id, before);
    onChange({ ...definition, elements: next });
    const now = elementsIn({ ...definition, elements: next }, group);
    const at = now.findIndex((element) => element.id === id);
    const element = now[at];
    if (element) announce(t.movedTo(elementName(element, model), at + 1, now.length));
  };
  /** The end of a tab is behind its last element, not at the end of the type. */
  const moveBehind = (id: string, last: string) => {
    const others = elements.filter((element) => element.id !== id);
    move(id, others[others.findIndex((element) => element.id === last) + 1]?.id);
  };
  const toggle = (id: string) => {
    const next = new Set(open.value);
    if (!next.delete(id)) next.add(id);
    open.value = next;
  };
  const add = (kind: Kind) => {
    const id = newId();
    const taken = elements.map(({ codename }) => codename);
    const isPlain = kind === 'guidelines' || kind === 'snippet';
    setElements([
      ...elements,
      {
        id,
        type: kind,
        codename: codenameOf(isPlain ? kind : '', taken),
        ...(!isPlain && { name: '', is_required: false }),
        guidelines: kind === 'guidelines' ? '' : null,
        ...(group !== undefined && { content_group: { id: group } }),
        ...(kind === 'multiple_choice' && { mode: 'multiple' as const, options: [] }),
      },
    ]);
    open.value = new Set([...open.value, id]);
    added.value = id;
  };
  return (
    <>
      <Names value={definition} taken={[]} onChange={(changed, field) => onChange(changed, field)} />
      {groups && (
        <GroupTabs
          definition={definition}
          shown={group}
          onShow={(id) => {
            chosenGroup.value = id;
          }}
          onChange={onChange}
        />
      )}
      <section aria-label={t.elements}>
        <h2>{t.elements}</h2>
        <AddElement isSnippet={groups === undefined} onAdd={add} />
        {shown.length === 0 && <p>{t.none}</p>}
        <ol class="model-list">
          {shown.map((element, at) => {
            const [previous, next] = [shown[at - 1], shown[at + 1]];
            return (
              <ElementRow
                key={element.id}
                element={element}
                definition={definition}
                model={model}
                isOpen={open.value.has(element.id)}
                isAdded={added.value === element.id}
                onToggle={() => toggle(element.id)}
                onUp={previous && (() => move(element.id, previous.id))}
                onDown={next && (() => moveBehind(element.id, next.id))}
                onDrop={(id, side) => (side === 'before' ? move(id, element.id) : moveBehind(id, element.id))}
                onRemove={() => setElements(elements.filter(({ id }) => id !== element.id))}
                onChange={(changed, field) =>
                  setElements(
                    elements.map((one) => (one.id === element.id ? changed : one)),
                    field,
                  )
                }
              />
            );
          })}
        </ol>
      </section>
    </>
  );
}

function AddElement({
  isSnippet,
  onAdd,
}: {
  readonly isSnippet: boolean;
  readonly onAdd: (kind: Kind) => void;
}) {
  const t = modelTexts();
  const kind = useSignal<Kind>('text');
  // A snippet holds neither snippets nor slugs.
  const kinds = KINDS.filter((one) => !isSnippet || (one !== 'snippet' && one !== 'url_slug'));
  return (
    <div class="bar">
      <Choice
        label={t.kind}
        value={kind.value}
        options={kinds.map((value) => ({ value, text: t.kinds[value] }))}
        onChange={(value) => {
          kind.value = value as Kind;
        }}
      />
      <button type="button" onClick={() => onAdd(kind.value)}>
        {t.addElement}
      </button>
    </div>
  );
}
