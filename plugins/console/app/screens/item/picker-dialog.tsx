import { useSignal } from '@preact/signals';
import { useQuery } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import { get, query } from '../../api.ts';
import type { ContentItem } from '../../list/content-item.ts';
import { itemTexts } from '../../messages/item.ts';
import { messages } from '../../messages/messages.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import type { ListedItem } from '../listed-item.ts';
import { AssetUpload, type FoundAsset } from './assets.tsx';
import { useForm } from './form-context.ts';
import { NewItem } from './new-item.tsx';
import type { Picked } from './picked.ts';
import '../../style/item.css';

/** Entries that a search shows; a longer search text finds the others. */
const SHOWN = 20;

interface PickerProps {
  /** Several are picked before the dialog is closed. */
  readonly isSeveral?: boolean;
  readonly onPick: (picked: readonly Picked[]) => void;
  readonly onClose: () => void;
}

interface SearchProps<T> extends PickerProps {
  readonly title: string;
  /** Path of the listing, without its search text, and its name in the answer. */
  readonly path: (text: string) => string;
  readonly name: string;
  readonly nameOf: (entry: T) => string;
  readonly draw: (entry: T) => ComponentChildren;
  /** What is below the entries. @param add picks what is made there, with what is picked already */
  readonly children: (add: (made: Picked) => void) => ComponentChildren;
}

function countOf(total: number): string {
  if (total > SHOWN) return itemTexts().firstFound(SHOWN, total);
  return total === 0 ? itemTexts().noneFound : messages().commands.found(total);
}

/** Searches the server while a text is typed. */
function Search<T extends { readonly id: string }>(props: SearchProps<T>) {
  const { title, path, name, nameOf, draw, isSeveral = false, children, onPick, onClose } = props;
  const { project } = useForm();
  const text = useSignal('');
  const picked = useSignal<readonly Picked[]>([]);
  const address = path(text.value);
  const found = useQuery({
    queryKey: [project, 'picker', address],
    queryFn: ({ signal }) =>
      get<Readonly<Record<string, readonly T[]>> & { readonly total: number }>(address, signal),
    placeholderData: (before) => before,
  });
  const pick = (entry: T) => {
    const one = { id: entry.id, name: nameOf(entry) };
    if (!isSeveral) return onPick([one]);
    const others = picked.value.filter(({ id }) => id !== entry.id);
    picked.value = others.length < picked.value.length ? others : [...others, one];
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <Field
        label={itemTexts().search}
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
      <p class="hint found-count" role="status">
        {found.data && countOf(found.data.total)}
      </p>
      <div class="found">
        <Loaded query={found}>
          {({ [name]: entries = [] }) =>
            entries.length > 0 && (
              <ul class="picker" aria-busy={found.isPlaceholderData}>
                {entries.map((entry) => (
                  <li key={entry.id}>
                    <button
                      type="button"
                      aria-pressed={isSeveral ? picked.value.some(({ id }) => id === entry.id) : undefined}
                      onClick={() => pick(entry)}
                    >
                      {draw(entry)}
                    </button>
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
      </div>
      {children((made) => onPick([...picked.value, made]))}
      <div class="actions">
        <button type="button" onClick={onClose}>
          {itemTexts().cancel}
        </button>
        {isSeveral && (
          <button
            type="button"
            class="primary"
            disabled={picked.value.length === 0}
            onClick={() => onPick(picked.value)}
          >
            {itemTexts().addPicked(picked.value.length)}
          </button>
        )}
      </div>
    </Dialog>
  );
}

interface ItemPickerProps extends PickerProps {
  /** Ids of the types that may be chosen; empty: any. */
  readonly types: readonly string[];
}

/** Finds items by their words; without a text those that changed last. A new one can be made in place. */
export function ItemPicker({ types, ...picker }: ItemPickerProps) {
  const { project, model, language } = useForm();
  const offered = [...model.types.values()].filter(({ id }) => types.length === 0 || types.includes(id));
  return (
    <Search<ContentItem>
      {...picker}
      title={itemTexts().chooseItem}
      name="items"
      path={(text) =>
        `admin/projects/${project}/content${query({
          language,
          type: types.join(','),
          text,
          limit: SHOWN,
          ...(text.trim() === '' && { order: 'changed', descending: 'true' }),
        })}`
      }
      nameOf={({ name }) => name}
      draw={(item) => <ItemLine item={listed(item)} language={language} />}
    >
      {(add) => (
        <>
          {types.length > 0 && (
            <p class="hint">{itemTexts().onlyTypes(offered.map(({ name }) => name).join(', '))}</p>
          )}
          <NewItem types={offered} onMade={add} />
        </>
      )}
    </Search>
  );
}

function listed({ variants, ...item }: ContentItem): Pick<ListedItem, 'name' | 'type' | 'languages'> {
  return { ...item, languages: variants };
}

interface ItemLineProps {
  readonly item: Pick<ListedItem, 'name' | 'type' | 'languages'>;
  /** Id. */
  readonly language: string;
}

/** An item with its type, and its state in a language. */
export function ItemLine({ item, language }: ItemLineProps) {
  const variant = item.languages.find((one) => one.language.id === language);
  return (
    <>
      <strong dir="auto">{item.name}</strong> <span class="muted">{item.type.name}</span>{' '}
      {variant && (
        <span class={`state ${variant.state}`}>
          {variant.language.codename}: {messages().content.states[variant.state]}
        </span>
      )}
    </>
  );
}

interface AssetPickerProps extends PickerProps {
  readonly isImage?: boolean;
}

/** Finds assets by a part of their title or file name, the newest first; a new one can be uploaded. */
export function AssetPicker({ isImage = false, ...picker }: AssetPickerProps) {
  const { project } = useForm();
  const nameOf = (asset: FoundAsset) => asset.title || asset.file_name;
  return (
    <Search<FoundAsset>
      {...picker}
      title={itemTexts().chooseAsset}
      name="assets"
      path={(text) =>
        `admin/projects/${project}/assets${query({ text, kind: isImage ? 'image' : undefined, limit: SHOWN })}`
      }
      nameOf={nameOf}
      draw={(asset) => (
        <>
          {asset.image_width !== null && (
            <img src={`${asset.url}?w=64&h=48&fit=crop`} alt="" width={64} height={48} loading="lazy" />
          )}{' '}
          <strong dir="auto">{nameOf(asset)}</strong> <span class="muted">{asset.type}</span>
        </>
      )}
    >
      {(add) => (
        <AssetUpload isImage={isImage} onUploaded={(asset) => add({ id: asset.id, name: nameOf(asset) })} />
      )}
    </Search>
  );
}
