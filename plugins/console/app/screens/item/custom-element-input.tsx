import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { ApiError, get } from '../../api.ts';
import { CallPace } from '../../custom-element/call-pace.ts';
import { ElementHost, LONGEST_VALUE } from '../../custom-element/element-host.ts';
import type { ToPage } from '../../custom-element/protocol.ts';
import { itemTexts } from '../../messages/item.ts';
import { formatNumber } from '../../messages/messages.ts';
import { FramedPage } from '../../parts/framed-page.tsx';
import type { ListedItem } from '../listed-item.ts';
import type { Asset } from './assets.tsx';
import { type ElementForm, elementNamed } from './element-form.ts';
import { type FormFacts, useForm } from './form-context.ts';
import { membersOf } from './form-groups.ts';
import type { InputProps } from './input-props.ts';
import type { Reference, ValueDefinition } from './managed.ts';
import { AssetPicker, ItemPicker } from './picker-dialog.tsx';

interface CustomElementInputProps extends InputProps {
  readonly definition: Extract<ValueDefinition, { readonly type: 'custom' }>;
}

interface Selecting {
  readonly what: 'assets' | 'items';
  readonly isSeveral: boolean;
  readonly isImage: boolean;
  readonly resolve: (picked: readonly Reference[] | null) => void;
}

const FIRST_HEIGHT = 300;

/** Of all custom elements. */
const pace = new CallPace(
  () => performance.now(),
  (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
);

/** A custom element: its page in a sandboxed frame, and its stored value as text. */
export function CustomElementInput({
  element,
  id,
  describedBy,
  isReadOnly,
  definition,
}: CustomElementInputProps) {
  const form = useForm();
  const height = useSignal(FIRST_HEIGHT);
  const isTooLong = useSignal(false);
  const selecting = useSignal<Selecting | undefined>(undefined);
  const page = useRef<Window | undefined>(undefined);
  const facts = useRef({ form, isReadOnly });
  facts.current = { form, isReadOnly };
  const send = (message: ToPage) => page.current?.postMessage({ customElement: 1, ...message }, '*');
  const host = useMemo(
    () =>
      new ElementHost({
        post: send,
        start: () => startOf(element, definition, facts.current.form, facts.current.isReadOnly),
        setValue(value) {
          isTooLong.value = false;
          if (value !== element.value.peek()) element.set(value);
        },
        setHeight: (pixels) => (height.value = pixels),
        refuseValue: () => (isTooLong.value = true),
        elementValue: (codename) => valueFor(facts.current.form, codename),
        select: (what, isSeveral, isImage) =>
          new Promise((resolve) => (selecting.value = { what, isSeveral, isImage, resolve })),
        detail: (what, id) =>
          detailOf(facts.current.form.project, what, id).catch((error: unknown) => {
            if (error instanceof ApiError && error.status === 404) return null;
            throw error;
          }),
        nextCall: () => pace.next(),
        now: () => performance.now(),
      }),
    [element],
  );
  useEffect(() => send({ kind: 'disabled', isDisabled: isReadOnly }), [isReadOnly]);
  useEffect(() => () => host.close(), [host]);
  useEffect(() => {
    const ending = [...form.elements.values()].map(({ definition: { codename }, value }) => {
      let isFirst = true;
      return value.subscribe(() => {
        if (!isFirst && host.observed.has(codename)) send({ kind: 'changed', codenames: [codename] });
        isFirst = false;
      });
    });
    return () => {
      for (const end of ending) end();
    };
  }, [form.elements, host]);
  const close = (picked: readonly Reference[] | null) => {
    selecting.value?.resolve(picked);
    selecting.value = undefined;
  };
  const { value: stored } = element.value;
  const asText = (
    <textarea
      id={id}
      aria-labelledby={`${id}-label`}
      aria-describedby={describedBy}
      readOnly={isReadOnly}
      rows={1}
      dir="auto"
      value={String(stored ?? '')}
      onInput={(event) => element.set(event.currentTarget.value || null)}
    />
  );
  if (!isWebAddress(definition.source_url)) return asText;
  const { what, isSeveral = false, isImage = false } = selecting.value ?? {};
  const ids = (picked: readonly Reference[]) => close(picked.map((one) => ({ id: one.id })));
  return (
    <>
      <FramedPage
        project={form.project}
        url={definition.source_url}
        title={definition.name}
        height={height.value}
        onMessage={(data, from) => {
          page.current = from;
          host.receive(data, facts.current.isReadOnly);
        }}
      />
      {isTooLong.value && (
        <p class="findings" role="alert">
          {itemTexts().customTooLong(formatNumber(LONGEST_VALUE))}
        </p>
      )}
      <details>
        <summary>{itemTexts().storedValue}</summary>
        {asText}
      </details>
      {what === 'items' && (
        <ItemPicker types={[]} isSeveral={isSeveral} onPick={ids} onClose={() => close(null)} />
      )}
      {what === 'assets' && (
        <AssetPicker isImage={isImage} isSeveral={isSeveral} onPick={ids} onClose={() => close(null)} />
      )}
    </>
  );
}

function startOf(
  element: ElementForm,
  { json_parameters }: CustomElementInputProps['definition'],
  { project, item, model, language }: FormFacts,
  disabled: boolean,
): ToPage {
  const value = element.value.peek();
  const codename = model.languages.find(({ id }) => id === language)?.codename ?? '';
  return {
    kind: 'init',
    element: { value: typeof value === 'string' ? value : null, disabled, config: parsed(json_parameters) },
    context: {
      projectId: project,
      item: { id: item.id, codename: item.codename, name: item.name },
      variant: { id: language, codename },
    },
  };
}

function parsed(json: string | null): unknown {
  try {
    return json === null ? null : JSON.parse(json);
  } catch {
    return null;
  }
}

/** Value of another element as such pages know it: texts, and lists of names with codenames or of ids. */
function valueFor({ elements, model }: FormFacts, codename: string): unknown {
  const element = elementNamed(elements, codename);
  if (!element) return null;
  const value = element.value.peek();
  if (typeof value === 'number') return String(value);
  if (!Array.isArray(value)) return value;
  const ids = (value as readonly Reference[]).map(({ id }) => id);
  const known = membersOf(model, element.definition);
  if (!known) return ids.map((id) => ({ id }));
  return ids.flatMap((id) =>
    known.flatMap((one) => (one.id === id ? [{ id, name: one.name, codename: one.codename }] : [])),
  );
}

async function detailOf(project: string, what: 'assets' | 'items', id: string) {
  if (what === 'items') {
    const { codename, name, type, ...item } = await get<ListedItem>(`admin/projects/${project}/items/${id}`);
    return { id: item.id, codename, name, type: { id: type.id } };
  }
  const asset = await get<
    Asset & {
      readonly size: number;
      readonly image_height: number | null;
      readonly descriptions: unknown;
    }
  >(`manage/projects/${project}/assets/${id}`);
  return {
    id: asset.id,
    descriptions: asset.descriptions,
    fileName: asset.file_name,
    imageHeight: asset.image_height,
    imageWidth: asset.image_width,
    name: asset.title ?? asset.file_name,
    size: asset.size,
    thumbnailUrl: asset.image_width === null ? null : `${asset.url}?w=240&h=180&fit=crop`,
    title: asset.title,
    type: asset.type,
    url: asset.url,
  };
}

function isWebAddress(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}
