import type { Signal } from '@preact/signals';
import { signal } from '@preact/signals';
import type { Node } from 'prosemirror-model';
import type { EditorView, NodeView } from 'prosemirror-view';

/** A figure or an object in the page: its content is drawn by the page around the editor. */
export class AtomView implements NodeView {
  /** Of no other one. */
  readonly key = crypto.randomUUID();
  readonly dom: HTMLElement;
  readonly node: Signal<Node>;
  readonly #view: EditorView;
  readonly #position: () => number | undefined;
  readonly #shown: Signal<readonly AtomView[]>;

  /** @param shown all figures and objects of the editor */
  constructor(
    node: Node,
    view: EditorView,
    position: () => number | undefined,
    shown: Signal<readonly AtomView[]>,
  ) {
    this.node = signal(node);
    this.#view = view;
    this.#position = position;
    this.#shown = shown;
    this.dom = document.createElement('div');
    this.dom.className = `atom ${node.type.name}`;
    this.dom.contentEditable = 'false';
    // What stands in it is of the page, not of the text around it.
    this.dom.lang = document.documentElement.lang;
    shown.value = [...shown.peek(), this];
  }

  /** Changes the attributes of the node. */
  change(attributes: Readonly<Record<string, unknown>>): void {
    const at = this.#position();
    if (at === undefined) return;
    const { attrs } = this.node.peek();
    this.#view.dispatch(this.#view.state.tr.setNodeMarkup(at, null, { ...attrs, ...attributes }));
  }

  remove(): void {
    const at = this.#position();
    if (at === undefined) return;
    this.#view.dispatch(this.#view.state.tr.delete(at, at + this.node.peek().nodeSize));
    this.#view.focus();
  }

  update(node: Node): boolean {
    if (node.type !== this.node.peek().type) return false;
    this.node.value = node;
    return true;
  }

  selectNode(): void {
    this.dom.classList.add('selected');
  }

  deselectNode(): void {
    this.dom.classList.remove('selected');
  }

  /** Inputs and buttons inside get their events themselves. */
  stopEvent(event: Event): boolean {
    const control = (event.target as Element | null)?.closest(
      'input, textarea, select, button, a, summary, label, dialog, [contenteditable="true"]',
    );
    return control !== null && control !== undefined && this.dom.contains(control);
  }

  ignoreMutation(): boolean {
    return true;
  }

  destroy(): void {
    this.#shown.value = this.#shown.peek().filter((view) => view !== this);
  }
}
