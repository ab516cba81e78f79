import { useSignal } from '@preact/signals';
import { useQuery } from '@tanstack/preact-query';
import type { ComponentChildren, ComponentType } from 'preact';
import { Link } from 'wouter-preact';
import { get } from '../../api.ts';
import type { ListedItem } from '../listed-item.ts';
import { useAsset } from './assets.tsx';
import { useForm } from './form-context.ts';
import type { InputProps } from './input-props.ts';
import type { Reference, ValueDefinition } from './managed.ts';
import { AssetPicker, ItemLine, ItemPicker } from './picker-dialog.tsx';
import { texts } from './texts.ts';

/** References that are shown at once; the others on request. */
const SHOWN = 50;

export function ItemsInput({
  definition,
  ...input
}: InputProps & { readonly definition: Extract<ValueDefinition, { readonly type: 'modular_content' }> }) {
  const types = definition.allowed_content_types.map(({ id }) => id);
  return (
    <ReferenceList {...input} row={ItemRow}>
      {(pick, close) => <ItemPicker types={types} onPick={({ id }) => pick(id)} onClose={close} />}
    </ReferenceList>
  );
}

export function AssetsInput(input: InputProps) {
  return (
    <ReferenceList {...input} row={AssetRow}>
      {(pick, close) => <AssetPicker onPick={({ id }) => pick(id)} onClose={close} />}
    </ReferenceList>
  );
}

interface RowProps {
  readonly id: string;
  /** The buttons of the row, by the name of what it shows. */
  readonly acts: (name: string) => ComponentChildren;
}

interface ReferenceListProps extends InputProps {
  readonly row: ComponentType<RowProps>;
  readonly children: (pick: (id: string) => void, close: () => void) => ComponentChildren;
}

/** A list of references in their order: add, remove, move. */
function ReferenceList({ element, isReadOnly, row: Row, children }: ReferenceListProps) {
  const isPicking = useSignal(false);
  const shown = useSignal(SHOWN);
  const given = element.value.value;
  const ids = Array.isArray(given) ? (given as readonly Reference[]).map(({ id }) => id) : [];
  const set = (next: readonly string[]) => element.set(next.map((id) => ({ id })));
  const move = (from: number, to: number) => {
    const next = [...ids];
    next.splice(to, 0, ...next.splice(from, 1));
    set(next);
  };
  return (
    <>
      <ol class="references">
        {ids.slice(0, shown.value).map((id, index) => (
          <Row
            key={id}
            id={id}
            acts={(name) =>
              !isReadOnly && (
                <span class="acts">
                  <button
                    type="button"
                    aria-label={texts().up(name)}
                    disabled={index === 0}
                    onClick={() => move(index, index - 1)}
                  >
                    ↑
                  </button>
                  <button
                    type="button"
                    aria-label={texts().down(name)}
                    disabled={index === ids.length - 1}
                    onClick={() => move(index, index + 1)}
                  >
                    ↓
                  </button>
                  <button
                    type="button"
                    aria-label={texts().remove(name)}
                    onClick={() => set(ids.filter((one) => one !== id))}
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
          {texts().showMore(Math.min(SHOWN, ids.length - shown.value))}
        </button>
      )}
      {!isReadOnly && (
        <button type="button" onClick={() => (isPicking.value = true)}>
          {texts().add}
        </button>
      )}
      {isPicking.value &&
        children(
          (id) => {
            isPicking.value = false;
            if (!ids.includes(id)) set([...ids, id]);
          },
          () => (isPicking.value = false),
        )}
    </>
  );
}

function ItemRow({ id, acts }: RowProps) {
  const item = useItem(id);
  const { project, language } = useForm();
  return (
    <li>
      {item.data ? (
        <Link href={`/projects/${project}/items/${id}`}>
          <ItemLine item={item.data} language={language} />
        </Link>
      ) : (
        <span class="muted">{item.isError ? texts().missing : texts().loading}</span>
      )}{' '}
      {acts(item.data?.name ?? id)}
    </li>
  );
}

export function useItem(id: string) {
  const { project } = useForm();
  return useQuery({
    queryKey: [project, 'item', id],
    queryFn: ({ signal }) => get<ListedItem>(`admin/projects/${project}/items/${id}`, signal),
    retry: false,
  });
}

function AssetRow({ id, acts }: RowProps) {
  const { data, isError } = useAsset(id);
  const name = data ? data.title || data.file_name : undefined;
  return (
    <li>
      {data && data.image_width !== null && (
        <img src={`${data.url}?w=64&h=48&fit=crop`} alt="" width={64} height={48} />
      )}{' '}
      {name ?? <span class="muted">{isError ? texts().missing : texts().loading}</span>} {acts(name ?? id)}
    </li>
  );
}
