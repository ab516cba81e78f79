/** Commands on lists. Positions are computed: a list has its items, and an item its blocks, without gaps. */
import { Fragment, type Node, type NodeType, type ResolvedPos } from 'prosemirror-model';
import { type Command, type EditorState, TextSelection, type Transaction } from 'prosemirror-state';
import { nodes } from './schema.ts';

/** Depth of the innermost list item around the position that is its nearest container; 0: there is none. */
function itemDepth($pos: ResolvedPos): number {
  const depth = $pos.depth - 1;
  return depth > 0 && $pos.node(depth).type === nodes.list_item ? depth : 0;
}

export function isInList(state: EditorState, type: NodeType): boolean {
  const { $from } = state.selection;
  const depth = itemDepth($from);
  return depth > 0 && $from.node(depth - 1).type === type;
}

/** Makes the selected blocks a list, or what is in such a list blocks again. */
export function toggleList(type: NodeType): Command {
  return (state, dispatch) => {
    const { $from, $to } = state.selection;
    const depth = itemDepth($from);
    if (depth > 0 && $from.sharedDepth($to.pos) >= depth - 1) {
      if ($from.node(depth - 1).type === type) return liftItem(state, dispatch);
      dispatch?.(state.tr.setNodeMarkup($from.before(depth - 1), type));
      return true;
    }
    const range = $from.blockRange($to);
    if (!range) return false;
    const { parent, startIndex, endIndex } = range;
    const blocks = Array.from({ length: endIndex - startIndex }, (_, at) => parent.child(startIndex + at));
    const isReplaceable =
      blocks.every(({ isTextblock }) => isTextblock) && parent.canReplaceWith(startIndex, endIndex, type);
    if (!isReplaceable) return false;
    if (dispatch) {
      const items = blocks.map(({ content }) =>
        nodes.list_item.create(null, nodes.run.create(null, content)),
      );
      const tr = state.tr.replaceWith(range.start, range.end, type.create(null, items));
      // The list's tag, then two tags for each item where each block had one.
      const moved = (pos: ResolvedPos) => pos.pos + 2 + 2 * (pos.index(range.depth) - startIndex);
      tr.setSelection(TextSelection.between(tr.doc.resolve(moved($from)), tr.doc.resolve(moved($to))));
      dispatch(tr.scrollIntoView());
    }
    return true;
  };
}

/** Enter in a list: a new item, or out of the list where the item is empty. */
export const splitItem: Command = (state, dispatch) => {
  const { $from, $to } = state.selection;
  const depth = itemDepth($from);
  if (depth === 0 || $from.sharedDepth($to.pos) < depth) return false;
  const item = $from.node(depth);
  if (item.childCount === 1 && item.content.size === 2) return liftItem(state, dispatch);
  if (dispatch) {
    const tr = state.tr.deleteSelection();
    tr.split(tr.selection.from, 2);
    dispatch(tr.scrollIntoView());
  }
  return true;
};

/** Tab: the item becomes one of a list inside the item before it. */
export const sinkItem: Command = (state, dispatch) => {
  const { $from } = state.selection;
  const depth = itemDepth($from);
  if (depth === 0) return false;
  const list = $from.node(depth - 1);
  const index = $from.index(depth - 1);
  if (index === 0) return false;
  if (dispatch) {
    const before = list.child(index - 1);
    const item = list.child(index);
    const at = $from.before(depth);
    const last = before.lastChild;
    const isAppended = last?.type === list.type;
    const inner = isAppended ? last.copy(last.content.addToEnd(item)) : list.type.create(null, item);
    const content = isAppended
      ? before.content.replaceChild(before.childCount - 1, inner)
      : before.content.addToEnd(inner);
    const tr = state.tr.replaceWith(at - before.nodeSize, at + item.nodeSize, before.copy(content));
    dispatch(reselect(tr, state, isAppended ? -2 : 0));
  }
  return true;
};

/** Shift+Tab: the item leaves its list, to the list around it or to the blocks around the list. */
export const liftItem: Command = (state, dispatch) => {
  const { $from } = state.selection;
  const depth = itemDepth($from);
  if (depth === 0) return false;
  if (dispatch) {
    const isNested = depth > 2 && $from.node(depth - 2).type === nodes.list_item;
    dispatch((isNested ? liftToList : liftToBlocks)(state, $from, depth).scrollIntoView());
  }
  return true;
};

function liftToList(state: EditorState, $from: ResolvedPos, depth: number): Transaction {
  const outer = $from.node(depth - 2);
  const list = $from.node(depth - 1);
  const index = $from.index(depth - 1);
  const listIndex = $from.index(depth - 2);
  const before = part(list, 0, index);
  const after = part(list, index + 1);
  const rest = childrenOf(outer).slice(listIndex + 1);
  const kept = [...childrenOf(outer).slice(0, listIndex), ...before];
  const first = outer.copy(Fragment.from(kept.length > 0 ? kept : nodes.run.create()));
  const item = list.child(index);
  const lifted = item.copy(item.content.append(Fragment.from([...after, ...rest])));
  const start = $from.before(depth - 2);
  const tr = state.tr.replaceWith(start, start + outer.nodeSize, [first, lifted]);
  return reselect(tr, state, start + first.nodeSize - $from.before(depth));
}

function liftToBlocks(state: EditorState, $from: ResolvedPos, depth: number): Transaction {
  const list = $from.node(depth - 1);
  const index = $from.index(depth - 1);
  const item = list.child(index);
  const before = part(list, 0, index);
  const blocks = childrenOf(item).map((node) =>
    node.type === nodes.run ? nodes.paragraph.create(null, node.content) : node,
  );
  const start = $from.before(depth - 1);
  const tr = state.tr.replaceWith(start, start + list.nodeSize, [
    ...before,
    ...blocks,
    ...part(list, index + 1),
  ]);
  const shift = start + (before[0]?.nodeSize ?? 0) - ($from.before(depth) + 1);
  return reselect(tr, state, shift);
}

/** The list of some items of a list; none where it would be empty. */
function part(list: Node, from: number, to = list.childCount): Node[] {
  const items = childrenOf(list).slice(from, to);
  return items.length > 0 ? [list.copy(Fragment.from(items))] : [];
}

function childrenOf(node: Node): Node[] {
  return Array.from({ length: node.childCount }, (_, index) => node.child(index));
}

/** Selects the same text after it has moved by some positions. */
function reselect(tr: Transaction, { selection, doc }: EditorState, shift: number): Transaction {
  const { $from, $to } = selection;
  const depth = itemDepth($from);
  // A selection that goes beyond the item ends with it.
  const end = Math.min($to.pos, depth > 0 ? $from.end(depth) : doc.content.size);
  const at = (position: number) => tr.doc.resolve(Math.min(position + shift, tr.doc.content.size));
  return tr.setSelection(TextSelection.between(at($from.pos), at(end)));
}

/** Backspace at the start of an item: it leaves its list. */
export const liftAtStart: Command = (state, dispatch) => {
  const { $from, empty } = state.selection;
  const depth = itemDepth($from);
  if (!empty || depth === 0 || $from.parentOffset > 0 || $from.index(depth) > 0) return false;
  return liftItem(state, dispatch);
};
