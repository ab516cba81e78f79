import { type Signal, useSignal } from '@preact/signals';
import { type ComponentChildren, Fragment } from 'preact';
import { createPortal } from 'preact/compat';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { type DOMOutputSpec, DOMSerializer } from 'prosemirror-model';
import { EditorState } from 'prosemirror-state';
import { EditorView } from 'prosemirror-view';
import { whenIdle } from '../parts/when-idle.ts';
import { whenNear } from '../parts/when-near.ts';
import { AtomView } from './atom-views.ts';
import { caretPlace, putCaret } from './caret-place.ts';
import { editableText, type NotEditable } from './editable-text.ts';
import { editorPlugins } from './editor-plugins.ts';
import { keptSelection } from './kept-selection.ts';
import { MAKE_EDITOR } from './make-editor.ts';
import { type PasteHost, pastePlugin } from './paste/paste.ts';
import type { ReadDocument, Sources } from './reader.ts';
import { schema } from './schema.ts';
import { writeRichText } from './writer.ts';

interface RichTextEditorProps {
  /** Ids of the elements that name and describe the text. */
  readonly labelledBy: string;
  readonly describedBy: string;
  /** Language of the text. */
  readonly lang: string | undefined;
  /** The text as the service stores it, or as it was written here. */
  readonly value: Signal<unknown>;
  /** The text as it is drawn first, read. */
  readonly read: ReadDocument;
  readonly isReadOnly: boolean;
  readonly host: PasteHost;
  onChange(html: string): void;
  /** A text was put in from outside that cannot be edited here. */
  onNotEditable(why: NotEditable): void;
  /** Draws a figure or object. */
  drawAtom(atom: AtomView): ComponentChildren;
  /** Draws the toolbar. */
  drawToolbar(view: EditorView, state: EditorState): ComponentChildren;
}

/** What makes the editor at once. */
const FIRST_USES = ['focus', 'mousedown', 'dragenter', MAKE_EDITOR] as const;

const placeOf = (): DOMOutputSpec => ['div', { class: 'atom' }];
/** Of a text without its editor: the place of each figure and object. A browser loads an HTML object like a frame. */
const serializer = new DOMSerializer(
  { ...DOMSerializer.nodesFromSchema(schema), figure: placeOf, object: placeOf },
  DOMSerializer.marksFromSchema(schema),
);

/**
 * A rich text that is edited where it is shown. The page shows the text first, and makes the editor of it when the text
 * is near the window and the page is idle, or when the text is used.
 */
export function RichTextEditor(props: RichTextEditorProps) {
  const { labelledBy, describedBy, lang, value, isReadOnly, drawAtom, drawToolbar } = props;
  const place = useRef<HTMLDivElement>(null);
  const view = useSignal<EditorView | undefined>(undefined);
  const state = useSignal<EditorState | undefined>(undefined);
  const atoms = useSignal<readonly AtomView[]>([]);
  const current = useRef(props);
  current.current = props;

  // Before the text is drawn.
  useLayoutEffect(() => {
    let sources: Sources;
    let written = '';
    const open = (html: string, read: ReadDocument) => {
      written = html;
      sources = read.sources;
      return EditorState.create({
        doc: read.doc,
        plugins: [pastePlugin(hostOf(current)), ...editorPlugins()],
      });
    };
    const dom = place.current as HTMLDivElement;
    const atom = (...[node, inView, position]: ConstructorParameters<typeof AtomView>) =>
      new AtomView(node, inView, position, atoms);
    let made: EditorView | undefined;
    let opened = open(String(value.peek()), current.current.read);
    const showText = () => dom.replaceChildren(serializer.serializeFragment(opened.doc.content));
    const edit = (use?: Event) => {
      stopWaiting();
      const isPressed = use instanceof MouseEvent && use.type === 'mousedown' && use.button === 0;
      const pressed = isPressed && !current.current.isReadOnly ? caretPlace(dom, use) : undefined;
      const editor = new EditorView(
        { mount: dom },
        {
          state: opened,
          editable: () => !current.current.isReadOnly,
          nodeViews: {
            figure: (node, inView, position) => atom(node, inView, position, atoms),
            object: (node, inView, position) => atom(node, inView, position, atoms),
          },
          dispatchTransaction(transaction) {
            const next = editor.state.apply(transaction);
            editor.updateState(next);
            state.value = next;
            if (!transaction.docChanged) return;
            written = writeRichText(next.doc, sources);
            current.current.onChange(written);
          },
        },
      );
      made = editor;
      view.value = editor;
      state.value = editor.state;
      if (pressed !== undefined) {
        use?.preventDefault();
        putCaret(editor, pressed);
        return;
      }
      // The editor has missed the event.
      if (document.activeElement === dom) dom.dispatchEvent(new FocusEvent('focus'));
    };
    let stopIdle = () => {};
    const stopNear = whenNear(dom, () => {
      stopIdle = whenIdle(() => edit());
    });
    for (const use of FIRST_USES) dom.addEventListener(use, edit, { capture: true });
    const stopWaiting = () => {
      stopNear();
      stopIdle();
      for (const use of FIRST_USES) dom.removeEventListener(use, edit, { capture: true });
    };
    showText();
    // What is put in from outside: the server's text, a restored copy.
    const stop = value.subscribe((html) => {
      if (html === written) return;
      const text = editableText(String(html));
      if (typeof text === 'string') return current.current.onNotEditable(text);
      const next = open(String(html), text);
      if (made) {
        made.updateState(next.apply(next.tr.setSelection(keptSelection(made.state, next.doc))));
        state.value = made.state;
      } else {
        opened = next;
        showText();
      }
    });
    return () => {
      stop();
      stopWaiting();
      made?.destroy();
    };
  }, [value]);

  useEffect(() => {
    view.value?.setProps({});
  }, [isReadOnly]);

  // An editor from the beginning, for people and for assistive technology.
  const textbox = {
    role: 'textbox',
    lang,
    tabIndex: isReadOnly ? 0 : undefined,
    contentEditable: !isReadOnly,
    'aria-multiline': true,
    'aria-readonly': isReadOnly || undefined,
    'aria-labelledby': labelledBy,
    'aria-describedby': describedBy,
  } as const;
  return (
    <div class="rich-text-editor">
      {!isReadOnly && <Toolbar view={view} state={state} draw={drawToolbar} />}
      <div ref={place} class="rich-text" dir="auto" {...textbox} />
      {atoms.value.map((one) => (
        // Without a key, each one behind another that goes would be drawn anew, and its open dialog be closed.
        <Fragment key={one.key}>{createPortal(drawAtom(one), one.dom)}</Fragment>
      ))}
    </div>
  );
}

interface ToolbarProps {
  readonly view: Signal<EditorView | undefined>;
  readonly state: Signal<EditorState | undefined>;
  readonly draw: RichTextEditorProps['drawToolbar'];
}

/** Alone in following the state: a key press does not draw the figures and objects. */
function Toolbar({ view, state, draw }: ToolbarProps) {
  return view.value && state.value ? draw(view.value, state.value) : <div class="toolbar waiting" />;
}

/** The host of the moment: the component is drawn again with others. */
function hostOf(current: { readonly current: RichTextEditorProps }): PasteHost {
  return {
    upload: (image) => current.current.host.upload(image),
    report: (omitted, isUploading) => current.current.host.report(omitted, isUploading),
    refuse: (size) => current.current.host.refuse(size),
    copyComponent: (id, copy) => current.current.host.copyComponent(id, copy),
    rememberComponents: (ids) => current.current.host.rememberComponents(ids),
  };
}
