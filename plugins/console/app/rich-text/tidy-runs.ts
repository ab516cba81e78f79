import type { Node } from 'prosemirror-model';
import { Plugin, type Transaction } from 'prosemirror-state';
import { nodes } from './schema.ts';

/**
 * Joins neighbouring runs, and removes those without text beside other content: neither can be written.
 * @param keep position in a run that stays, though it has no text: what is typed next belongs there
 * @param seen nodes that need no look
 */
export function tidyRuns(tr: Transaction, keep?: number, seen?: WeakSet<Node>): Transaction {
  const containers: { readonly node: Node; readonly at: number }[] = [];
  tr.doc.descendants((node, at) => {
    if (seen?.has(node)) return false;
    seen?.add(node);
    if (node.type === nodes.list_item || node.type === nodes.table_cell) containers.push({ node, at });
    return !node.isTextblock;
  });
  // From the end, so that the positions before stay.
  for (const { node, at } of containers.reverse()) tidyContainer(tr, node, at + 1, keep);
  return tr;
}

function tidyContainer(tr: Transaction, container: Node, start: number, keep: number | undefined): void {
  let end = start + container.content.size;
  let count = container.childCount;
  for (const node of [...container.children].reverse()) {
    const at = end - node.nodeSize;
    const isKept = keep !== undefined && keep > at && keep < end;
    if (node.type === nodes.run && !isKept && isBlank(node.children)) {
      if (count > 1) tr.delete(at, end);
      else if (node.content.size > 0) tr.delete(at + 1, end - 1);
      count -= 1;
    }
    end = at;
  }
  const joins: number[] = [];
  const tidied = tr.doc.resolve(start).parent;
  let at = start;
  tidied.forEach((node, _, index) => {
    at += node.nodeSize;
    if (node.type === nodes.run && tidied.maybeChild(index + 1)?.type === nodes.run) joins.push(at);
  });
  for (const position of joins.reverse()) tr.join(position);
}

/** Nothing but white space that HTML ignores. */
export function isBlank(inline: readonly Node[]): boolean {
  return inline.every(
    (node) => node.isText && node.marks.length === 0 && !/[^ \t\n\r\f]/.test(node.text ?? ''),
  );
}

/** Keeps the runs of edited documents tidy. */
export function tidyRunsPlugin(): Plugin {
  // A key press looks at the nodes it changed.
  const seen = new WeakSet<Node>();
  return new Plugin({
    appendTransaction(transactions, _, state) {
      if (!transactions.some(({ docChanged }) => docChanged)) return null;
      const tr = tidyRuns(state.tr, state.selection.head, seen);
      return tr.docChanged ? tr : null;
    },
  });
}
