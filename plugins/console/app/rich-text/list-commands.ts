/** Commands on lists. Positions are computed: a list has its items, and an item its blocks, without gaps. */
import { Fragment, type Node, type NodeType, type ResolvedPos } from 'prosemirror-model';
import {
  AllSelection,
  type Command,
  type EditorState,
  TextSelection,
  type Transaction,
} from 'prosemirror-state';
import { nodes } from './schema.ts';

/** Depth of the innermost list item around the position that is its nearest container; 0: there is none. */
function itemDepth($pos: ResolvedPos): number {
  const depth = $pos.depth - 1;
  return depth > 0 && $pos.node(depth).type === nodes.list_item ? depth : 0;
}

/** Neighbouring items of the innermost list around the selection. */
interface ItemRange {
  readonly $from: ResolvedPos;
  readonly $to: ResolvedPos;
  /** Of the list. */
  readonly depth: number;
  readonly first: number;
  /** Behind the last one. */
  readonly end: number;
}

function selectedItems({ selection }: EditorState): ItemRange | undefined {
  const { $from, $to } =
    selection instanceof AllSelection ? TextSelection.between(selection.$from, selection.$to) : selection;
  let depth = $from.sharedDepth($to.pos);
  while (depth > 0 && !$from.node(depth).type.isInGroup('list')) depth -= 1;
  const [first, end] = [$from.index(depth), $to.indexAfter(depth)];
  return depth > 0 && first < end ? { $from, $to, depth, first, end } : undefined;
}

export function isInList(state: EditorState, type: NodeType): boolean {
  const items = selectedItems(state);
  return items?.$from.node(items.depth).type === type;
}

/** Makes the selected blocks a list, or what is in such a list blocks again. */
export function toggleList(type: NodeType): Command {
  return (state, dispatch) => {
    const { $from, $to } = state.selection;
    const items = selectedItems(state);
    if (items) {
      if (items.$from.node(items.depth).type === type) return liftItem(state, dispatch);
      dispatch?.(state.tr.setNodeMarkup(items.$from.before(items.depth), type));
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
      const made = blocks.map(({ content }) => nodes.list_item.create(null, nodes.run.create(null, content)));
      const tr = state.tr.replaceWith(range.start, range.end, type.create(null, made));
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

/** Tab: the items become those of a list inside the item before them. */
export const sinkItem: Command = (state, dispatch) => {
  const items = selectedItems(state);
  if (!items || items.first === 0) return false;
  if (dispatch) {
    const { $from, depth, first, end } = items;
    const list = $from.node(depth);
    const before = list.child(first - 1);
    const sunk = list.children.slice(first, end);
    const last = before.lastChild;
    const isAppended = last?.type === list.type;
    const inner = isAppended
      ? last.copy(last.content.append(Fragment.from(sunk)))
      : list.type.create(null, sunk);
    const content = isAppended
      ? before.content.replaceChild(before.childCount - 1, inner)
      : before.content.addToEnd(inner);
    const tr = state.tr.replaceWith(
      $from.posAtIndex(first - 1, depth),
      $from.posAtIndex(end, depth),
      before.copy(content),
    );
    dispatch(reselect(tr, items, isAppended ? -2 : 0));
  }
  return true;
};

/** Shift+Tab: the items leave their list, to the list around it or to the blocks around the list. */
export const liftItem: Command = (state, dispatch) => {
  const items = selectedItems(state);
  if (!items) return false;
  if (dispatch) {
    const { $from, depth } = items;
    const isNested = $from.node(depth - 1).type === nodes.list_item;
    dispatch((isNested ? liftToList : liftToBlocks)(state, items).scrollIntoView());
  }
  return true;
};

function liftToList(state: EditorState, items: ItemRange): Transaction {
  const { $from, depth, first, end } = items;
  const outer = $from.node(depth - 1);
  const list = $from.node(depth);
  const listIndex = $from.index(depth - 1);
  const rest = outer.children.slice(listIndex + 1);
  const kept = [...outer.children.slice(0, listIndex), ...part(list, 0, first)];
  const before = outer.copy(Fragment.from(kept.length > 0 ? kept : nodes.run.create()));
  const last = list.child(end - 1);
  const lifted = last.copy(last.content.append(Fragment.from([...part(list, end), ...rest])));
  const start = $from.before(depth - 1);
  const tr = state.tr.replaceWith(start, start + outer.nodeSize, [
    before,
    ...list.children.slice(first, end - 1),
    lifted,
  ]);
  return reselect(tr, items, start + before.nodeSize - $from.posAtIndex(first, depth));
}

function liftToBlocks(state: EditorState, items: ItemRange): Transaction {
  const { $from, depth, first, end } = items;
  const list = $from.node(depth);
  const before = part(list, 0, first);
  const blocks = list.children
    .slice(first, end)
    .flatMap(({ children }) => children)
    .map((node) => (node.type === nodes.run ? nodes.paragraph.create(null, node.content) : node));
  const start = $from.before(depth);
  const tr = state.tr.replaceWith(start, start + list.nodeSize, [...before, ...blocks, ...part(list, end)]);
  const shift = start + (before[0]?.nodeSize ?? 0) - ($from.posAtIndex(first, depth) + 1);
  // Each item had two tags.
  return reselect(tr, items, shift, shift - 2 * (end - 1 - first));
}

/** The list of some items of a list; none where it would be empty. */
function part(list: Node, from: number, to = list.childCount): Node[] {
  const items = list.children.slice(from, to);
  return items.length > 0 ? [list.copy(Fragment.from(items))] : [];
}

/** Selects the same text after it has moved by some positions. */
function reselect(tr: Transaction, { $from, $to }: ItemRange, shift: number, endShift = shift): Transaction {
  const at = (position: number) => tr.doc.resolve(Math.min(Math.max(position, 0), tr.doc.content.size));
  return tr.setSelection(TextSelection.between(at($from.pos + shift), at($to.pos + endShift)));
}

/** Backspace at the start of an item: it leaves its list. */
export const liftAtStart: Command = (state, dispatch) => {
  const { $from, empty } = state.selection;
  const depth = itemDepth($from);
  if (!empty || depth === 0 || $from.parentOffset > 0 || $from.index(depth) > 0) return false;
  return liftItem(state, dispatch);
};
