import { TextSelection } from 'prosemirror-state';
import type { EditorView } from 'prosemirror-view';

/** A place in a text that is shown without its editor. */
export interface CaretPlace {
  /** Of each element on the way down, the index among its siblings. */
  readonly path: readonly number[];
  readonly offset: number;
}

/** Where the browser would put the caret for a press of the mouse. */
export function caretPlace(text: HTMLElement, { clientX, clientY }: MouseEvent): CaretPlace | undefined {
  const found = caretFromPoint(clientX, clientY);
  if (found === undefined || !text.contains(found.node)) return undefined;
  const path: number[] = [];
  for (let node = found.node; node !== text; node = node.parentNode!)
    path.unshift([...node.parentNode!.childNodes].indexOf(node as ChildNode));
  return { path, offset: found.offset };
}

/**
 * Puts the caret there in the editor of the same text, which has the same elements. The browser would put it at the start: the element
 * that was pressed is no longer in the page.
 */
export function putCaret(editor: EditorView, { path, offset }: CaretPlace): void {
  let node: Node = editor.dom;
  for (const index of path) node = node.childNodes[index] ?? node;
  const at = editor.posAtDOM(node, Math.min(offset, node.nodeValue?.length ?? node.childNodes.length));
  const { doc, tr } = editor.state;
  editor.dispatch(tr.setSelection(TextSelection.near(doc.resolve(at))));
  editor.focus();
}

function caretFromPoint(x: number, y: number): { readonly node: Node; readonly offset: number } | undefined {
  if (typeof document.caretPositionFromPoint === 'function') {
    const caret = document.caretPositionFromPoint(x, y);
    return caret ? { node: caret.offsetNode, offset: caret.offset } : undefined;
  }
  // Safari.
  const range = document.caretRangeFromPoint(x, y);
  return range ? { node: range.startContainer, offset: range.startOffset } : undefined;
}
