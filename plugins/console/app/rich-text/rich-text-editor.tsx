import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { createPortal } from 'preact/compat';
import { useEffect, useRef } from 'preact/hooks';
import { EditorState } from 'prosemirror-state';
import { EditorView } from 'prosemirror-view';
import { AtomView } from './atom-views.ts';
import { editorPlugins } from './editor-plugins.ts';
import { keptSelection } from './kept-selection.ts';
import { type PasteHost, pastePlugin } from './paste/paste.ts';
import { readRichText, type Sources } from './reader.ts';
import { writeRichText } from './writer.ts';

interface RichTextEditorProps {
  /** Ids of the elements that name and describe the text. */
  readonly labelledBy: string;
  readonly describedBy: string;
  /** The text as the service stores it, or as it was written here. */
  readonly value: Signal<unknown>;
  readonly isReadOnly: boolean;
  readonly host: PasteHost;
  onChange(html: string): void;
  /** Draws a figure or object. */
  drawAtom(atom: AtomView): ComponentChildren;
  /** Draws the toolbar. */
  drawToolbar(view: EditorView, state: EditorState): ComponentChildren;
}

/** A rich text that is edited where it is shown. */
export function RichTextEditor(props: RichTextEditorProps) {
  const { labelledBy, describedBy, value, isReadOnly, drawAtom, drawToolbar } = props;
  const place = useRef<HTMLDivElement>(null);
  const view = useSignal<EditorView | undefined>(undefined);
  const state = useSignal<EditorState | undefined>(undefined);
  const atoms = useSignal<readonly AtomView[]>([]);
  const current = useRef(props);
  current.current = props;

  useEffect(() => {
    let sources: Sources;
    let written = '';
    const open = (html: string) => {
      written = html;
      const read = readRichText(html);
      sources = read.sources;
      return EditorState.create({
        doc: read.doc,
        plugins: [pastePlugin(hostOf(current)), ...editorPlugins()],
      });
    };
    const atom = (...[node, inView, position]: ConstructorParameters<typeof AtomView>) =>
      new AtomView(node, inView, position, atoms);
    const made = new EditorView(place.current, {
      state: open(String(value.peek())),
      editable: () => !current.current.isReadOnly,
      nodeViews: {
        figure: (node, inView, position) => atom(node, inView, position, atoms),
        object: (node, inView, position) => atom(node, inView, position, atoms),
      },
      attributes: () => ({
        role: 'textbox',
        'aria-multiline': 'true',
        'aria-labelledby': current.current.labelledBy,
        'aria-describedby': current.current.describedBy,
        ...(current.current.isReadOnly && { 'aria-readonly': 'true', tabindex: '0' }),
        class: 'rich-text',
        dir: 'auto',
      }),
      dispatchTransaction(transaction) {
        const next = made.state.apply(transaction);
        made.updateState(next);
        state.value = next;
        if (!transaction.docChanged) return;
        written = writeRichText(next.doc, sources);
        current.current.onChange(written);
      },
    });
    view.value = made;
    state.value = made.state;
    // What is put in from outside: the server's text, a restored copy.
    const stop = value.subscribe((html) => {
      if (html === written) return;
      const next = open(String(html));
      made.updateState(next.apply(next.tr.setSelection(keptSelection(made.state, next.doc))));
      state.value = made.state;
    });
    return () => {
      stop();
      made.destroy();
    };
  }, [value]);

  useEffect(() => {
    view.value?.setProps({});
  }, [isReadOnly, labelledBy, describedBy]);

  return (
    <div class="rich-text-editor">
      {!isReadOnly && view.value && state.value && drawToolbar(view.value, state.value)}
      <div ref={place} />
      {atoms.value.map((one) => createPortal(drawAtom(one), one.dom))}
    </div>
  );
}

/** The host of the moment: the component is drawn again with others. */
function hostOf(current: { readonly current: RichTextEditorProps }): PasteHost {
  return {
    upload: (picture) => current.current.host.upload(picture),
    report: (omitted, isUploading) => current.current.host.report(omitted, isUploading),
    refuse: (size) => current.current.host.refuse(size),
    copyComponent: (id, copy) => current.current.host.copyComponent(id, copy),
  };
}
