import type { Node } from 'prosemirror-model';
import { type EditorState, Selection } from 'prosemirror-state';

/** The caret of a state in a document that takes the place of its own: beside the same text. */
export function keptSelection({ doc: before, selection: { head } }: EditorState, doc: Node): Selection {
  const start = before.content.findDiffStart(doc.content);
  const end = before.content.findDiffEnd(doc.content);
  let at = head;
  if (start !== null && end && head > start) at = head < end.a ? start : head + end.b - end.a;
  return Selection.near(doc.resolve(Math.min(Math.max(at, 0), doc.content.size)));
}
