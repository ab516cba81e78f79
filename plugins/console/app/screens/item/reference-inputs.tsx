import { useSignal } from '@preact/signals';
import { useQuery } from '@tanstack/preact-query';
import type { ComponentChildren, ComponentType } from 'preact';
import { Link } from 'wouter-preact';
import { get } from '../../api.ts';
import { itemTexts } from '../../messages/item.ts';
import { formatSize } from '../../messages/messages.ts';
import { announce } from '../../parts/announce.tsx';
import { itemPath } from '../../parts/item-path.ts';
import type { ListedItem } from '../listed-item.ts';
import { useAsset } from './assets.tsx';
import { useForm } from './form-context.ts';
import type { InputProps } from './input-props.ts';
import type { CountLimit, Reference, ValueDefinition } from './managed.ts';
import { FileFindings, fileLimitsOf, TypeFinding } from './member-findings.tsx';
import { MoveHandle, useReorder } from './move-handle.tsx';
import type { Picked } from './picked.ts';
import { AssetPicker, ItemLine, ItemPicker } from './picker-dialog.tsx';

/** References that are shown at once; the others on request. */
const SHOWN = 50;

export function ItemsInput({
  definition,
  ...input
}: InputProps & { readonly definition: Extract<ValueDefinition, { readonly type: 'modular_content' }> }) {
  const { model } = useForm();
  const types = definition.allowed_content_types.map(({ id }) => id);
  const names = types.flatMap((id) => model.types.get(id)?.name ?? []);
  return (
    <ReferenceList
      {...input}
      row={ItemRow}
      count={definition.item_count_limit}
      limits={names.length > 0 ? itemTexts().onlyTypes(names.join(', ')) : undefined}
    >
      {(pick, close) => <ItemPicker types={types} isSeveral onPick={pick} onClose={close} />}
    </ReferenceList>
  );
}

export function AssetsInput({
  definition,
  ...input
}: InputProps & { readonly definition: Extract<ValueDefinition, { readonly type: 'asset' }> }) {
  return (
    <ReferenceList
      {...input}
      row={AssetRow}
      count={definition.asset_count_limit}
      limits={fileLimits(definition)}
    >
      {(pick, close) => (
        <AssetPicker
          isImage={definition.allowed_file_types === 'adjustable'}
          isSeveral
          onPick={pick}
          onClose={close}
        />
      )}
    </ReferenceList>
  );
}

function fileLimits(definition: ValueDefinition): string | undefined {
  const limits = fileLimitsOf(definition);
  const words = itemTexts();
  if (!limits) return undefined;
  const { size, isAdjustable, width, height } = limits;
  const pixels = (limit: CountLimit | null, name: string) =>
    limit ? [words.pixels[limit.condition](name, limit.value)] : [];
  const parts = [
    ...(isAdjustable ? [words.onlyImages] : []),
    ...(size === null ? [] : [words.fileSize(formatSize(size))]),
    ...pixels(width, words.width),
    ...pixels(height, words.height),
  ];
  return parts.length > 0 ? parts.join(', ') : undefined;
}

interface RowProps {
  readonly id: string;
  readonly definition: ValueDefinition;
  /** The buttons of the row, by the name of what it shows. */
  readonly acts: (name: string) => ComponentChildren;
}

interface ReferenceListProps extends InputProps {
  readonly row: ComponentType<RowProps>;
  readonly count: CountLimit | null;
  readonly limits: string | undefined;
  readonly children: (pick: (picked: readonly Picked[]) => void, close: () => void) => ComponentChildren;
}

/** A list of references in their order: add, remove, move by drag and by keyboard. */
function ReferenceList({ element, isReadOnly, row: Row, count, limits, children }: ReferenceListProps) {
  const isPicking = useSignal(false);
  const shown = useSignal(SHOWN);
  const given = element.value.value;
  const ids = Array.isArray(given) ? (given as readonly Reference[]).map(({ id }) => id) : [];
  const set = (next: readonly string[]) => element.set(next.map((id) => ({ id })));
  const order = useReorder(ids, set);
  const visible = ids.slice(0, shown.value);
  return (
    <>
      {(limits !== undefined || count) && (
        <p class="hint">
          {limits} {count && itemTexts().count[count.condition](ids.length, count.value)}
        </p>
      )}
      <ol class="references" ref={order.list}>
        {visible.map((id, index) => (
          <Row
            key={id}
            id={id}
            definition={element.definition}
            acts={(name) =>
              !isReadOnly && (
                <span class="acts">
                  <MoveHandle order={order} index={index} name={name} />
                  <button
                    type="button"
                    aria-label={itemTexts().remove(name)}
                    onClick={() => {
                      set(ids.filter((one) => one !== id));
                      announce(itemTexts().removed(name));
                    }}
                  >
                    ×
                  </button>
                </span>
              )
            }
          />
        ))}
      </ol>
      {ids.length > shown.value && (
        <button type="button" onClick={() => (shown.value += SHOWN)}>
          {itemTexts().showMore(Math.min(SHOWN, ids.length - shown.value))}
        </button>
      )}
      {!isReadOnly && (
        <button type="button" onClick={() => (isPicking.value = true)}>
          {itemTexts().add}
        </button>
      )}
      {isPicking.value &&
        children(
          (picked) => {
            isPicking.value = false;
            const added = picked.filter(({ id }) => !ids.includes(id));
            if (added.length > 0) set([...ids, ...added.map(({ id }) => id)]);
          },
          () => (isPicking.value = false),
        )}
    </>
  );
}

function ItemRow({ id, definition, acts }: RowProps) {
  const item = useItem(id);
  const { project, language } = useForm();
  return (
    <li>
      {item.data ? (
        <Link href={itemPath(project, { id }, { id: language })}>
          <ItemLine item={item.data} language={language} />
        </Link>
      ) : (
        <span class="muted">{item.isError ? itemTexts().missing : itemTexts().loading}</span>
      )}{' '}
      {acts(item.data?.name ?? id)}
      <TypeFinding definition={definition} type={item.data?.type} />
    </li>
  );
}

export function useItem(id: string, enabled = true) {
  const { project } = useForm();
  return useQuery({
    queryKey: [project, 'item', id],
    queryFn: ({ signal }) => get<ListedItem>(`admin/projects/${project}/items/${id}`, signal),
    enabled,
  });
}

/** Name of an item or asset; undefined until it is there. */
export function useReferenceName(kind: 'item' | 'asset', id: string) {
  const item = useItem(id, kind === 'item');
  const asset = useAsset(id, kind === 'asset');
  const name = item.data?.name ?? (asset.data && (asset.data.title || asset.data.file_name));
  return { name, isMissing: item.isError || asset.isError };
}

function AssetRow({ id, definition, acts }: RowProps) {
  const { data, isError } = useAsset(id);
  const name = data ? data.title || data.file_name : undefined;
  return (
    <li>
      {data && data.image_width !== null && (
        <img src={`${data.url}?w=64&h=48&fit=crop`} alt="" width={64} height={48} />
      )}{' '}
      {name ?? <span class="muted">{isError ? itemTexts().missing : itemTexts().loading}</span>}{' '}
      {acts(name ?? id)}
      <FileFindings definition={definition} asset={data} />
    </li>
  );
}
