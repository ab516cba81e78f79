import { setBlockType, splitBlockAs, toggleMark } from 'prosemirror-commands';
import type { Node, ResolvedPos } from 'prosemirror-model';
import {
  type Command,
  type EditorState,
  NodeSelection,
  Selection,
  type Transaction,
} from 'prosemirror-state';
import type { LinkAttributes } from './link.ts';
import { marks, nodes } from './schema.ts';

/** A paragraph (level 0) or a heading. */
export function setLevel(level: number): Command {
  return level === 0 ? setBlockType(nodes.paragraph) : setBlockType(nodes.heading, { level });
}

/** Level of the heading with the selection; 0: another block. */
export function levelOf(state: EditorState): number {
  const { parent } = state.selection.$from;
  return parent.type === nodes.heading ? (parent.attrs['level'] as number) : 0;
}

export const insertBreak: Command = (state, dispatch) => {
  if (!state.selection.$from.parent.inlineContent) return false;
  const marked = state.storedMarks ?? state.selection.$from.marks();
  dispatch?.(
    state.tr.replaceSelectionWith(nodes.line_break.create(null, null, marked), false).scrollIntoView(),
  );
  return true;
};

const splitToParagraph = splitBlockAs((node, atEnd) =>
  node.type === nodes.heading && atEnd ? { type: nodes.paragraph } : null,
);

/** Enter in a cell: the text of a cell becomes paragraphs, for two runs would be one. */
export const splitInCell: Command = (state, dispatch) => {
  const { $from, $to } = state.selection;
  if ($from.depth < 1 || $from.node(-1).type !== nodes.table_cell || !$from.sameParent($to)) return false;
  if ($from.parent.type === nodes.heading) return splitToParagraph(state, dispatch);
  if (dispatch) {
    const tr = state.tr.deleteSelection();
    const { $from: $at } = tr.selection;
    if ($at.parent.type === nodes.run) tr.setNodeMarkup($at.before(), nodes.paragraph);
    tr.split(tr.selection.from);
    dispatch(tr.scrollIntoView());
  }
  return true;
};

/** Inserts a block after the one with the selection, or instead of it where it is an empty paragraph. */
export function insertBlock(node: Node): Command {
  return (state, dispatch) => {
    const { $to } = state.selection;
    for (let depth = $to.depth; depth >= 0; depth -= 1) {
      const parent = $to.node(depth);
      const index = $to.indexAfter(depth);
      if (!parent.canReplaceWith(index, index, node.type)) continue;
      if (dispatch) dispatch(inserted(state, node, $to, depth).scrollIntoView());
      return true;
    }
    return false;
  };
}

function inserted(state: EditorState, node: Node, $to: ResolvedPos, depth: number): Transaction {
  const { tr } = state;
  const block = depth < $to.depth ? $to.node(depth + 1) : undefined;
  const isReplaced = block?.type === nodes.paragraph && block.content.size === 0;
  const end = block ? $to.after(depth + 1) : $to.pos;
  const at = isReplaced ? $to.before(depth + 1) : end;
  tr.replaceWith(at, end, node);
  // Text can be typed after what stands last.
  const isLast = depth === 0 && at + node.nodeSize === tr.doc.content.size;
  if (isLast) tr.insert(at + node.nodeSize, nodes.paragraph.create());
  return tr.setSelection(
    node.isAtom ? NodeSelection.create(tr.doc, at) : Selection.near(tr.doc.resolve(at + 1)),
  );
}

/** The link at the cursor, or where a selection begins, and where it begins and ends. */
export function linkAt(
  state: EditorState,
): { readonly from: number; readonly to: number; readonly attributes: LinkAttributes } | undefined {
  const { $from, empty } = state.selection;
  const { parent } = $from;
  /** A cursor that stands behind a link is at it; a selection that begins there has other text. */
  const isHere = (end: number) => end > $from.pos || (empty && end === $from.pos);
  let at = $from.start();
  let from: number | undefined;
  let attributes: LinkAttributes | undefined;
  for (const node of parent.inlineContent ? parent.children : []) {
    const link = marks.link.isInSet(node.marks);
    if (link?.attrs !== attributes) {
      if (attributes && from !== undefined && isHere(at)) return { from, to: at, attributes };
      from = link && at <= $from.pos ? at : undefined;
      attributes = link?.attrs as LinkAttributes | undefined;
    }
    at += node.nodeSize;
  }
  return attributes && from !== undefined && isHere(at) ? { from, to: at, attributes } : undefined;
}

/**
 * Links the selected text, changes the link at the cursor, or inserts the text as a link.
 * @param attributes undefined removes the link
 */
export function setLink(attributes: LinkAttributes | undefined, text: string): Command {
  return (state, dispatch) => {
    const { selection } = state;
    const present = linkAt(state);
    const { from, to } = present && selection.empty ? present : selection;
    if (!selection.$from.parent.inlineContent) return false;
    if (dispatch) {
      const tr = state.tr;
      if (from === to && attributes)
        tr.insert(
          from,
          state.schema.text(text, marks.link.create(attributes).addToSet(selection.$from.marks())),
        );
      else {
        tr.removeMark(from, to, marks.link);
        if (attributes) tr.addMark(from, to, marks.link.create(attributes));
      }
      dispatch(tr.scrollIntoView());
    }
    return true;
  };
}

export const toggleStyle = (name: 'strong' | 'em' | 'sup' | 'sub' | 'code'): Command =>
  toggleMark(marks[name]);
