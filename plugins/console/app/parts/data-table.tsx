import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { useScrolled } from './use-scrolled.ts';

interface DataTableProps {
  /** Titles; the first column names the row. */
  readonly columns: readonly string[];
  readonly rows: readonly { readonly key: string | number; readonly cells: readonly ComponentChildren[] }[];
  /** Shown where there is no row. */
  readonly empty: string;
  /** All columns but the first are figures, which end at one edge. */
  readonly ofFigures?: boolean;
}

/** Characters of a text that is not broken: times, sizes, addresses. */
const SHORT = 22;

const classOf = (cell: ComponentChildren): string | undefined =>
  typeof cell === 'number' || (typeof cell === 'string' && cell.length <= SHORT) ? 'short' : undefined;

/** A table whose first column is the header of its row. */
export function DataTable({ columns, rows, empty, ofFigures = false }: DataTableProps) {
  if (rows.length === 0) return <p>{empty}</p>;
  return (
    <ScrollBox label={columns.join(', ')} class="data">
      <table class={ofFigures ? 'figures' : undefined}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells: [name, ...others] }) => (
            <tr key={key}>
              <th scope="row" class={classOf(name)}>
                {name}
              </th>
              {others.map((cell, at) => (
                <td key={columns[at + 1]} class={classOf(cell)}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

interface ScrollBoxProps {
  readonly label: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** Scrolls a table that is wider than the page. Then it can get the focus, so that keys scroll it, too. */
export function ScrollBox({ label, class: kind, children }: ScrollBoxProps) {
  const box = useRef<HTMLDivElement>(null);
  const isScrolled = useScrolled(box);
  return (
    <div
      ref={box}
      class={kind === undefined ? 'scroll' : `scroll ${kind}`}
      // No region: a page has several of them with the same columns, and landmarks need names of their own.
      {...(isScrolled.value && { tabIndex: 0, role: 'group', 'aria-label': label })}
    >
      {children}
    </div>
  );
}
