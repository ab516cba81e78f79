import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { itemTexts } from '../../messages/item.ts';
import { ElementField } from './element-field.tsx';
import type { ElementForm } from './element-form.ts';
import type { FormBodyProps } from './form-context.ts';
import type { FormPart } from './form-groups.ts';
import { type GuidelinePart, guidelineBlocks } from './guidelines.ts';
import '../../style/form.css';

/** The elements of a form; groups are tabs. All stay in the page, so that a hidden one keeps its state. */
export function FormBody({ groups, elements }: FormBodyProps) {
  const id = useId();
  const [first] = groups;
  const open = useSignal(first?.id);
  if (groups.length === 1) return <Parts parts={first?.parts ?? []} elements={elements} />;
  const move = (event: KeyboardEvent, index: number) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, Home: -index, End: groups.length - 1 - index }[event.key];
    const next = step === undefined ? undefined : groups[(index + step + groups.length) % groups.length];
    if (!next) return;
    event.preventDefault();
    open.value = next.id;
    document.getElementById(`${id}-tab-${next.id}`)?.focus();
  };
  return (
    <>
      <div role="tablist" aria-label={itemTexts().groups} class="tabs">
        {groups.map((group, index) => (
          <button
            key={group.id}
            type="button"
            role="tab"
            id={`${id}-tab-${group.id}`}
            aria-selected={open.value === group.id}
            aria-controls={`${id}-panel-${group.id}`}
            tabIndex={open.value === group.id ? 0 : -1}
            onClick={() => (open.value = group.id)}
            onKeyDown={(event) => move(event, index)}
          >
            {group.name}
          </button>
        ))}
      </div>
      {groups.map((group) => (
        <div
          key={group.id}
          role="tabpanel"
          id={`${id}-panel-${group.id}`}
          aria-labelledby={`${id}-tab-${group.id}`}
          hidden={open.value !== group.id}
        >
          <Parts parts={group.parts} elements={elements} />
        </div>
      ))}
    </>
  );
}

function Parts({
  parts,
  elements,
}: {
  readonly parts: readonly FormPart[];
  readonly elements: ReadonlyMap<string, ElementForm>;
}) {
  const nameOf = (id: string) => elements.get(id)?.definition.name;
  return (
    <>
      {parts.map((part) => {
        if (part.kind === 'guidelines')
          return (
            <aside key={part.id} class="guidelines" aria-label={itemTexts().guidelines}>
              <Guidelines text={part.text} />
            </aside>
          );
        const element = elements.get(part.id);
        return element && <ElementField key={part.id} element={element} nameOf={nameOf} />;
      })}
    </>
  );
}

function Guidelines({ text }: { readonly text: string }) {
  const drawn = (parts: readonly GuidelinePart[]) =>
    parts.map(({ text, address }, at) =>
      address === undefined ? (
        text
      ) : (
        <a key={at} href={address} target="_blank" rel="noreferrer">
          {text}
        </a>
      ),
    );
  return (
    <>
      {guidelineBlocks(text).map(({ isList, lines }, block) =>
        isList ? (
          <ul key={block}>
            {lines.map((line, at) => (
              <li key={at}>{drawn(line)}</li>
            ))}
          </ul>
        ) : (
          lines.map((line, at) => <p key={`${block} ${at}`}>{drawn(line)}</p>)
        ),
      )}
    </>
  );
}
