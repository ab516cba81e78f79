import { useSignal } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { itemTexts } from '../../messages/item.ts';
import { itemPath } from '../../parts/item-path.ts';
import { useNear } from '../../parts/use-near.ts';
import type { AtomView } from '../../rich-text/atom-views.ts';
import { nodes } from '../../rich-text/schema.ts';
import { useAsset } from './assets.tsx';
import type { ComponentForm, ElementForm } from './element-form.ts';
import { FormContext, useForm } from './form-context.ts';
import type { ValueDefinition } from './managed.ts';
import { FileFindings, TypeFinding } from './member-findings.tsx';
import { ItemLine } from './picker-dialog.tsx';
import { plainText } from './plain-text.ts';
import { useItem } from './reference-inputs.tsx';
import { DescriptionDialog } from './rich-text-dialogs.tsx';

interface AtomCardProps {
  readonly atom: AtomView;
  readonly element: ElementForm;
  readonly isReadOnly: boolean;
}

/** An image, a linked item or a component in a rich text. */
export function AtomCard({ atom, element, isReadOnly }: AtomCardProps) {
  const node = atom.node.value;
  const { definition } = element;
  if (node.type === nodes.figure) return <ImageCard {...{ atom, isReadOnly, definition }} />;
  const { kind, id } = node.attrs as { readonly kind: string; readonly id: string };
  if (kind === 'item') return <ItemCard {...{ id, atom, isReadOnly, definition }} />;
  const component = element.components.get(id);
  return component ? (
    <ComponentCard {...{ component, atom, isReadOnly, definition }} />
  ) : (
    <p class="muted">{itemTexts().missing}</p>
  );
}

interface CardProps extends Pick<AtomCardProps, 'atom' | 'isReadOnly'> {
  /** Of the element around it. */
  readonly definition: ValueDefinition;
}

function RemoveButton({ atom, isReadOnly, name }: Omit<CardProps, 'definition'> & { readonly name: string }) {
  if (isReadOnly) return null;
  return (
    <button type="button" aria-label={itemTexts().remove(name)} onClick={() => atom.remove()}>
      ×
    </button>
  );
}

function ImageCard({ atom, isReadOnly, definition }: CardProps) {
  const { asset, description } = atom.node.value.attrs as {
    readonly asset: string;
    readonly description: string | null;
  };
  const { ref, isNear } = useNear<HTMLParagraphElement>();
  const { data, isError } = useAsset(asset, isNear);
  const { language } = useForm();
  const isEditing = useSignal(false);
  // What readers get.
  const shown = data?.descriptions.find((one) => one.language.id === language)?.description || description;
  const name = data ? data.title || data.file_name : isError ? itemTexts().missing : itemTexts().loading;
  return (
    <>
      {data && data.image_width !== null && <img src={`${data.url}?w=480`} alt={shown ?? ''} />}
      <p ref={ref}>
        {name} <span class="muted">{shown || (data && itemTexts().richText.noDescription)}</span>{' '}
        {!isReadOnly && (
          <button type="button" onClick={() => (isEditing.value = true)}>
            {itemTexts().richText.editImage} …
          </button>
        )}{' '}
        <RemoveButton atom={atom} isReadOnly={isReadOnly} name={name} />
      </p>
      <FileFindings definition={definition} asset={data} />
      {isEditing.value && (
        <DescriptionDialog
          asset={asset}
          description={description}
          onClose={() => (isEditing.value = false)}
          onDone={(changed) => {
            isEditing.value = false;
            atom.change({ description: changed });
          }}
        />
      )}
    </>
  );
}

function ItemCard({ id, definition, ...card }: CardProps & { readonly id: string }) {
  const { ref, isNear } = useNear<HTMLParagraphElement>();
  const { data, isError } = useItem(id, isNear);
  const { project, language } = useForm();
  return (
    <p ref={ref}>
      {data ? (
        <>
          <ItemLine item={data} language={language} />{' '}
          <Link href={itemPath(project, { id }, { id: language })}>{itemTexts().richText.open}</Link>
        </>
      ) : (
        <span class="muted">{isError ? itemTexts().missing : itemTexts().loading}</span>
      )}{' '}
      <RemoveButton {...card} name={data?.name ?? id} />
      <TypeFinding definition={definition} type={data?.type} />
    </p>
  );
}

/** Characters of a component that tell it from others of its type. */
const FIRST = 80;

/** The first text in a component. Drawn for itself: a key press in the component draws no more of its form. */
function FirstWords({ component }: { readonly component: ComponentForm }) {
  for (const { definition, value } of component.elements.values()) {
    if (definition.type !== 'text' && definition.type !== 'rich_text') continue;
    const [line = ''] = plainText(value.value, definition.type === 'rich_text')
      .trim()
      .split('\n');
    if (line !== '')
      return (
        <span class="muted" dir="auto">
          {line.length > FIRST ? `${line.slice(0, FIRST)}…` : line}
        </span>
      );
  }
  return null;
}

/** A component with its form, which is made when it is first opened. */
function ComponentCard({
  component,
  definition,
  ...card
}: CardProps & { readonly component: ComponentForm }) {
  const form = useForm();
  const { Body } = form;
  const inner = useMemo(() => ({ ...form, depth: form.depth + 1 }), [form]);
  const wasOpened = useRef(false);
  if (component.isOpen.value) wasOpened.current = true;
  const name = itemTexts().richText.componentOf(component.type.name);
  return (
    <>
      <details
        data-component={component.id}
        open={component.isOpen.value}
        onToggle={({ currentTarget }) => (component.isOpen.value = currentTarget.open)}
      >
        <summary>
          {name} {!component.isOpen.value && <FirstWords component={component} />}
        </summary>
        {wasOpened.current && (
          <FormContext.Provider value={inner}>
            <Body groups={component.groups} elements={component.elements} />
          </FormContext.Provider>
        )}
      </details>
      <RemoveButton {...card} name={name} />
      <TypeFinding definition={definition} type={component.type} />
    </>
  );
}
