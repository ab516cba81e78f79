import { useSignal } from '@preact/signals';
import { useQuery } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import { get, query } from '../../api.ts';
import { messages } from '../../messages/messages.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import type { ListedItem } from '../listed-item.ts';
import { AssetUpload, type FoundAsset } from './assets.tsx';
import { useForm } from './form-context.ts';
import { texts } from './texts.ts';

/** Entries that a search shows; a longer search text finds the others. */
const SHOWN = 20;

interface PickerProps<T> {
  readonly onPick: (picked: T) => void;
  readonly onClose: () => void;
}

interface SearchProps<T extends { readonly id: string }> extends PickerProps<T> {
  readonly title: string;
  /** Path and name of the listing. */
  readonly listing: 'items' | 'assets';
  readonly filters?: Readonly<Record<string, string | undefined>>;
  readonly isOffered?: (entry: T) => boolean;
  readonly draw: (entry: T) => ComponentChildren;
  readonly children?: ComponentChildren;
}

/** Searches the server while a text is typed; the newest entries come first. */
function Search<T extends { readonly id: string }>(props: SearchProps<T>) {
  const { title, listing, filters, isOffered = () => true, draw, children, onPick, onClose } = props;
  const { project } = useForm();
  const text = useSignal('');
  const found = useQuery({
    queryKey: [project, 'picker', listing, filters, text.value],
    queryFn: ({ signal }) =>
      get<Readonly<Record<string, readonly T[]>>>(
        `admin/projects/${project}/${listing}${query({ ...filters, text: text.value, limit: SHOWN })}`,
        signal,
      ),
    placeholderData: (before) => before,
  });
  return (
    <Dialog title={title} onClose={onClose}>
      <Field
        label={texts().search}
        type="search"
        value={text.value}
        onKeyDown={(event) => {
          // Enter would send the form around the dialog.
          if (event.key === 'Enter') event.preventDefault();
        }}
        onInput={(event) => {
          text.value = event.currentTarget.value;
        }}
      />
      <Loaded query={found}>
        {(page) => {
          const entries = (page[listing] ?? []).filter(isOffered);
          if (entries.length === 0) return <p>{texts().noneFound}</p>;
          return (
            <ul class="picker">
              {entries.map((entry) => (
                <li key={entry.id}>
                  <button type="button" onClick={() => onPick(entry)}>
                    {draw(entry)}
                  </button>
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
      {children}
      <div class="actions">
        <button type="button" onClick={onClose}>
          {texts().cancel}
        </button>
      </div>
    </Dialog>
  );
}

interface ItemPickerProps extends PickerProps<ListedItem> {
  /** Ids of the types that may be chosen; empty: any. */
  readonly types: readonly string[];
}

export function ItemPicker({ types, ...picker }: ItemPickerProps) {
  const { language } = useForm();
  const only = types.length === 1 ? { type: types[0] } : {};
  return (
    <Search<ListedItem>
      {...picker}
      title={texts().chooseItem}
      listing="items"
      filters={only}
      isOffered={({ type }) => types.length === 0 || types.includes(type.id)}
      draw={(item) => <ItemLine item={item} language={language} />}
    />
  );
}

/** An item with its type and its state in a language. */
export function ItemLine({ item, language }: { readonly item: ListedItem; readonly language: string }) {
  const state = item.languages.find((one) => one.language.id === language)?.state;
  return (
    <>
      <strong>{item.name}</strong> <span class="muted">{item.type.name}</span>{' '}
      {state && <span class={`state ${state}`}>{messages().content.states[state]}</span>}
    </>
  );
}

interface AssetPickerProps extends PickerProps<FoundAsset> {
  readonly isPicture?: boolean;
}

export function AssetPicker({ isPicture = false, ...picker }: AssetPickerProps) {
  return (
    <Search<FoundAsset>
      {...picker}
      title={texts().chooseAsset}
      listing="assets"
      filters={isPicture ? { kind: 'image' } : {}}
      draw={(asset) => (
        <>
          <strong>{asset.title || asset.file_name}</strong> <span class="muted">{asset.type}</span>
        </>
      )}
    >
      <AssetUpload isPicture={isPicture} onUploaded={picker.onPick} />
    </Search>
  );
}
