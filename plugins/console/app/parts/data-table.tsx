import type { ComponentChildren } from 'preact';

interface DataTableProps {
  /** Titles; the first column names the row. */
  readonly columns: readonly string[];
  readonly rows: readonly { readonly key: string | number; readonly cells: readonly ComponentChildren[] }[];
  /** Shown where there is no row. */
  readonly empty: string;
}

/** A table whose first column is the header of its row. */
export function DataTable({ columns, rows, empty }: DataTableProps) {
  if (rows.length === 0) return <p>{empty}</p>;
  return (
    <div class="scroll">
      <table>
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
              <th scope="row">{name}</th>
              {others.map((cell, at) => (
                <td key={columns[at + 1]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
