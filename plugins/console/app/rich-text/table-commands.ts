import type { Node } from 'prosemirror-model';
import { type Command, type EditorState, Plugin, type Transaction } from 'prosemirror-state';
import {
  addColumnAfter,
  addColumnBefore,
  addRowAfter,
  addRowBefore,
  deleteColumn,
  deleteRow,
  tableEditing,
} from 'prosemirror-tables';
import { insertBlock } from './block-commands.ts';
import { nodes } from './schema.ts';

/**
 * Selecting cells, and moving among them. The plugin of the package makes the rows of each table that was edited equal; a
 * text edit must change nothing else, so here only commands on rows and columns do.
 */
export function tablesPlugin(): Plugin {
  const tables = tableEditing();
  return new Plugin({
    ...tables.spec,
    // With equal states it looks at no table.
    appendTransaction: (transactions, _, state) =>
      tables.spec.appendTransaction?.call(tables, transactions, state, state),
  });
}

/** Depth of the body around the selection; 0: the selection is in no table. */
function bodyDepth({ selection: { $from } }: EditorState): number {
  let depth = $from.depth;
  while (depth > 0 && $from.node(depth).type !== nodes.table_body) depth -= 1;
  return depth;
}

export function isInTable(state: EditorState): boolean {
  return bodyDepth(state) > 0;
}

function makeRowsEqual(tr: Transaction, body: Node, at: number): void {
  const width = Math.max(...body.children.map(({ childCount }) => childCount));
  body.forEach((row, offset) => {
    const end = tr.mapping.map(at + 1 + offset + row.nodeSize - 1);
    for (let count = row.childCount; count < width; count += 1)
      tr.insert(end, nodes.table_cell.createAndFill() as Node);
  });
}

function inEqualRows(command: Command): Command {
  return (state, dispatch) => {
    const depth = bodyDepth(state);
    if (depth === 0) return false;
    if (!dispatch) return command(state);
    const { tr } = state;
    makeRowsEqual(tr, state.selection.$from.node(depth), state.selection.$from.before(depth));
    return command(state.apply(tr), (change) => {
      for (const step of change.steps) tr.step(step);
      dispatch(tr.setSelection(change.selection.getBookmark().resolve(tr.doc)).scrollIntoView());
    });
  };
}

const deleteTable: Command = (state, dispatch) => {
  const depth = bodyDepth(state) - 1;
  if (depth < 1) return false;
  const { $from } = state.selection;
  dispatch?.(state.tr.delete($from.before(depth), $from.after(depth)).scrollIntoView());
  return true;
};

export const tableCommands = {
  addRowBefore: inEqualRows(addRowBefore),
  addRowAfter: inEqualRows(addRowAfter),
  addColumnBefore: inEqualRows(addColumnBefore),
  addColumnAfter: inEqualRows(addColumnAfter),
  deleteRow: inEqualRows(deleteRow),
  deleteColumn: inEqualRows(deleteColumn),
  deleteTable,
} as const satisfies Readonly<Record<string, Command>>;

export const insertTable: Command = (state, dispatch) => {
  const cells = [1, 2, 3].map(() => nodes.table_cell.createAndFill() as Node);
  const rows = [1, 2, 3].map(() => nodes.table_row.create(null, cells));
  return insertBlock(nodes.table.create(null, nodes.table_body.create(null, rows)))(state, dispatch);
};
