import { useComputed, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { whenIdle } from '../parts/when-idle.ts';
import { useActiveRow } from './active-row.ts';
import { useKeptPlace } from './kept-place.ts';
import type { Pages } from './pages.ts';
import type { Selection } from './selection.ts';
import { useSteadyRows } from './steady-rows.ts';
import { BESIDE, moveInRows, ROW_HEIGHT, rowsAround, scrollTo } from './window.ts';

export interface Column<Row> {
  readonly id: string;
  readonly title: string;
  /** Width as in `grid-template-columns`. */
  readonly width: string;
  /** Whether rows can be ordered by it. */
  readonly isOrdered?: boolean;
  readonly cell: (row: Row) => ComponentChildren;
}

interface GridProps<Row> {
  readonly label: string;
  readonly pages: Pages<Row>;
  readonly selection: Selection<Row & { readonly id: string }>;
  /** The first one names the row; a click on a link in it is `onOpen`. */
  readonly columns: readonly Column<Row>[];
  /** Column and direction: `name.desc`. */
  readonly order: string;
  readonly onOrder: (order: string) => void;
  /** Enter on a row. */
  readonly onOpen: (row: Row) => void;
  readonly selectText: (row: Row) => string;
  readonly selectAllText: string;
  readonly loadingText: string;
}

/**
 * A list of any length as an ARIA grid: only the rows around the window are in the document. The grid has the focus and
 * names its active row. Arrows, Page Up, Page Down, Home and End move; `useActiveRow` has the other keys.
 */
export function Grid<Row extends { readonly id: string }>(props: GridProps<Row>) {
  const { label, pages, selection, columns, order, onOrder } = props;
  const ref = useRef<HTMLTableElement>(null);
  const id = useId();
  const top = useSignal(0);
  const height = useSignal(600);
  const open = (row: Row) => {
    keepPlace();
    props.onOpen(row);
  };
  const { active, select, press } = useActiveRow(pages, selection, open);
  const total = pages.total.value ?? 0;
  /** What is not seen is drawn when the first frame is there: it is half of the rows. */
  const isSettled = useSignal(false);
  const range = useComputed(() =>
    rowsAround(top.value, height.value, pages.total.value ?? 1, isSettled.value ? BESIDE : 0),
  );
  const { first, end } = range.value;

  useLayoutEffect(() => {
    const grid = ref.current;
    if (!grid) return;
    const measure = new ResizeObserver(() => {
      height.value = grid.clientHeight - ROW_HEIGHT;
    });
    measure.observe(grid);
    return () => measure.disconnect();
  }, []);
  useEffect(() => whenIdle(() => (isSettled.value = true)), []);
  useLayoutEffect(() => pages.show({ first, end }), [pages, first, end]);
  const shown = useRef(pages);
  useLayoutEffect(() => {
    // A new grid is at its top: to set that would have the page laid out without its rows.
    if (shown.current === pages) return;
    shown.current = pages;
    // Another list begins at its top.
    if (ref.current) ref.current.scrollTop = 0;
    top.value = 0;
    active.value = 0;
  }, [pages]);
  const keepPlace = useKeptPlace(ref, total > 0, active, top);
  useSteadyRows(ref, selection, () => active.value * ROW_HEIGHT);

  const show = (row: number) => {
    const grid = ref.current as HTMLTableElement;
    const target = scrollTo(row, grid.scrollTop, height.value);
    if (target !== undefined) {
      grid.scrollTop = target;
      top.value = target;
    }
  };

  // Drawn again when rows arrive.
  void pages.version.value;
  const { isAll } = selection.state.value;
  const template = { gridTemplateColumns: `3rem ${columns.map(({ width }) => width).join(' ')}` };
  const indices = Array.from({ length: total === 0 ? 0 : end - first }, (_, at) => first + at);
  const isDrawn = total > 0 && active.value >= first && active.value < end;
  // A table that has the focus and can be acted on.
  const grid = {
    role: 'grid',
    tabIndex: 0,
    'aria-label': label,
    'aria-rowcount': total + 1,
    'aria-colcount': columns.length + 1,
    'aria-multiselectable': true,
    ...(isDrawn && { 'aria-activedescendant': `${id}-${active.value}` }),
  } as const;
  return (
    <table
      ref={ref}
      class="grid"
      {...grid}
      onKeyDown={(event) => {
        if (event.target !== ref.current) return;
        press(event, moveInRows(event.key, active.value, { total, height: height.value }), show);
      }}
      onClick={(event) => {
        const row = (event.target as Element).closest('[aria-rowindex]');
        const index = Number(row?.getAttribute('aria-rowindex')) - 2;
        if (!(index >= 0)) return;
        active.value = index;
        const opened = pages.row(index);
        if (opened && isOpening(event)) {
          event.preventDefault();
          open(opened);
        }
        if (event.shiftKey) void select(index, true);
      }}
      onScroll={(event) => {
        top.value = event.currentTarget.scrollTop;
      }}
    >
      <thead>
        <tr aria-rowindex={1} style={template}>
          <th scope="col">
            <input
              type="checkbox"
              aria-label={props.selectAllText}
              checked={isAll}
              onChange={() => (isAll ? selection.clear() : selection.all())}
            />
          </th>
          {columns.map((column) => (
            <Head key={column.id} column={column} order={order} onOrder={onOrder} />
          ))}
        </tr>
      </thead>
      <tbody style={{ blockSize: `${total * ROW_HEIGHT}px` }}>
        {indices.map((index) => {
          const row = pages.row(index);
          const isSelected = row !== undefined && selection.has(row.id);
          return (
            <tr
              key={index}
              id={`${id}-${index}`}
              aria-rowindex={index + 2}
              aria-selected={isSelected}
              class={index === active.value ? 'active' : undefined}
              style={{ ...template, transform: `translateY(${index * ROW_HEIGHT}px)` }}
            >
              <td>
                {row && (
                  <input
                    type="checkbox"
                    tabIndex={-1}
                    aria-label={props.selectText(row)}
                    checked={isSelected}
                    onClick={(event) => {
                      event.stopPropagation();
                      void select(index, event.shiftKey);
                    }}
                  />
                )}
              </td>
              {columns.map(({ id: column, cell }, at) =>
                at === 0 ? (
                  <th key={column} scope="row">
                    {row ? cell(row) : <span class="waiting">{props.loadingText}</span>}
                  </th>
                ) : (
                  <td key={column}>{row && cell(row)}</td>
                ),
              )}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** Whether a click is one on the link of a row, and not one that opens a new tab or window. */
function isOpening(event: MouseEvent): boolean {
  const { target, button, ctrlKey, metaKey, altKey, shiftKey, defaultPrevented } = event;
  if (defaultPrevented || button !== 0 || ctrlKey || metaKey || altKey || shiftKey) return false;
  return (target as Element).closest('th a') !== null;
}

interface HeadProps<Row> {
  readonly column: Column<Row>;
  readonly order: string;
  readonly onOrder: (order: string) => void;
}

function Head<Row>({ column: { id, title, isOrdered }, order, onOrder }: HeadProps<Row>) {
  const at = order.lastIndexOf('.');
  const [by, direction] = [order.slice(0, at), order.slice(at + 1)];
  const isCurrent = by === id;
  const sorted = direction === 'desc' ? 'descending' : 'ascending';
  return (
    <th scope="col" aria-sort={isOrdered ? (isCurrent ? sorted : 'none') : undefined}>
      {isOrdered ? (
        <button
          type="button"
          class="order"
          onClick={() => onOrder(`${id}.${isCurrent && direction !== 'desc' ? 'desc' : 'asc'}`)}
        >
          {title}
          <span aria-hidden="true">{isCurrent ? (direction === 'desc' ? ' ↓' : ' ↑') : ''}</span>
        </button>
      ) : (
        title
      )}
    </th>
  );
}
