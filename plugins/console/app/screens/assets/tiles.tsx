import { useComputed, useSignal } from '@preact/signals';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { useActiveRow } from '../../list/active-row.ts';
import { useKeptPlace } from '../../list/kept-place.ts';
import type { Pages } from '../../list/pages.ts';
import type { Selection } from '../../list/selection.ts';
import { useSteadyRows } from '../../list/steady-rows.ts';
import { assetsTexts } from '../../messages/assets.ts';
import { formatSize } from '../../messages/messages.ts';
import { Thumbnail } from './asset-columns.tsx';
import { type ListedAsset, nameOf } from './asset-data.ts';
import { moveInTiles, TILE_HEIGHT, tilesAround } from './tile-window.ts';

/** Pixels of the image of a tile. */
const IMAGE = 128;

interface TilesProps {
  readonly label: string;
  readonly pages: Pages<ListedAsset>;
  readonly selection: Selection<ListedAsset>;
  readonly onOpen: (asset: ListedAsset) => void;
}

/**
 * Assets as images: a list of any length, of which only the tiles around the window are in the document. The list has the
 * focus and names its active tile. Arrows, Page Up, Page Down, Home and End move; `useActiveRow` has the other keys.
 */
export function Tiles({ label, pages, selection, onOpen }: TilesProps) {
  const ref = useRef<HTMLDivElement>(null);
  const id = useId();
  const top = useSignal(0);
  const size = useSignal({ width: 800, height: 600 });
  const isMeasured = useSignal(false);
  const clicked = useRef<number | undefined>(undefined);
  const open = (asset: ListedAsset) => {
    keepPlace();
    onOpen(asset);
  };
  const { active, select, press } = useActiveRow(pages, selection, open);
  const total = pages.total.value ?? 0;
  const isEmpty = total === 0;
  const shown = useComputed(() => tilesAround(top.value, size.value, pages.total.value ?? 1));
  const { first, end, columns, rows } = shown.value;

  useLayoutEffect(() => {
    const list = ref.current;
    if (!list) return;
    const measure = new ResizeObserver(() => {
      size.value = { width: list.clientWidth, height: list.clientHeight };
      isMeasured.value = true;
    });
    measure.observe(list);
    return () => measure.disconnect();
  }, [isEmpty]);
  useLayoutEffect(() => pages.show({ first, end }), [pages, first, end]);
  useLayoutEffect(() => {
    if (ref.current) ref.current.scrollTop = 0;
    top.value = 0;
    active.value = 0;
  }, [pages]);
  const keepPlace = useKeptPlace(ref, isMeasured.value, active, top);
  useSteadyRows(ref, selection, () => Math.floor(active.value / columns) * TILE_HEIGHT);

  const show = (tile: number) => {
    const list = ref.current;
    const row = Math.floor(tile / columns) * TILE_HEIGHT;
    if (list && row < list.scrollTop) list.scrollTop = row;
    else if (list && row + TILE_HEIGHT > list.scrollTop + list.clientHeight)
      list.scrollTop = row + TILE_HEIGHT - list.clientHeight;
  };

  // Drawn again when tiles arrive.
  void pages.version.value;
  const { loading } = assetsTexts();
  const indices = Array.from({ length: total === 0 ? 0 : end - first }, (_, at) => first + at);
  const isDrawn = total > 0 && active.value >= first && active.value < end;
  const list = {
    'aria-label': label,
    'aria-multiselectable': true,
    ...(isDrawn && { 'aria-activedescendant': `${id}-${active.value}` }),
  } as const;
  if (isEmpty) return null;
  return (
    <div
      ref={ref}
      class="tiles"
      role="listbox"
      tabIndex={0}
      {...list}
      onKeyDown={(event) => {
        press(
          event,
          moveInTiles(event.key, active.value, { columns, total, height: size.value.height }),
          show,
        );
      }}
      onClick={(event) => {
        // The second click of two is on another tile where the buttons for the selection have moved them.
        const index = event.detail > 1 ? clicked.current : indexOf(event);
        clicked.current = index;
        if (index === undefined) return;
        event.currentTarget.focus();
        void select(index, event.shiftKey);
      }}
      onDblClick={() => {
        const asset = pages.row(clicked.current ?? -1);
        if (asset) open(asset);
      }}
      onScroll={(event) => {
        top.value = event.currentTarget.scrollTop;
      }}
    >
      <div role="presentation" style={{ blockSize: `${rows * TILE_HEIGHT}px` }}>
        {indices.map((index) => {
          const asset = pages.row(index);
          const isSelected = asset !== undefined && selection.has(asset.id);
          const [row, column] = [Math.floor(index / columns), index % columns];
          const at = {
            inlineSize: `${100 / columns}%`,
            insetInlineStart: `${(100 * column) / columns}%`,
            transform: `translateY(${row * TILE_HEIGHT}px)`,
          };
          return (
            <div
              key={index}
              id={`${id}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={isSelected}
              aria-setsize={total}
              aria-posinset={index + 1}
              class={index === active.value ? 'active' : undefined}
              style={at}
            >
              {asset ? (
                <>
                  <Thumbnail asset={asset} pixels={IMAGE} />
                  <span class="name">{nameOf(asset)}</span>
                  <span class="muted">{formatSize(asset.size)}</span>
                </>
              ) : (
                <span class="waiting">{loading}</span>
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** The tile that was clicked. */
function indexOf({ target }: MouseEvent): number | undefined {
  const position = target instanceof Element ? target.closest('[aria-posinset]') : null;
  return position ? Number(position.getAttribute('aria-posinset')) - 1 : undefined;
}
