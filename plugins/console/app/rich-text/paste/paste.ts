import { Fragment, type Node, Slice } from 'prosemirror-model';
import { Plugin, PluginKey } from 'prosemirror-state';
import type { EditorView } from 'prosemirror-view';
import { setLink } from '../block-commands.ts';
import { LARGEST } from '../largest.ts';
import { linkOf } from '../link.ts';
import { nodes } from '../schema.ts';
import { writeRichText } from '../writer.ts';
import { type Cleaned, cleanHtml, type Omission, PENDING } from './clean-html.ts';
import { readPlainText } from './markdown.ts';

/** What pasting needs of the page around the editor. */
export interface PasteHost {
  /** Stores an image; resolves with the id of its asset. */
  upload(image: File): Promise<string>;
  /** Shows what was left out, and whether images are on their way. */
  report(omitted: ReadonlySet<Omission>, isUploading: boolean): void;
  /** Says that nothing was pasted. @param size characters of markup that the text would have had */
  refuse(size: number): void;
  /** Makes a copy of a component under a new id; false where the component is not known. */
  copyComponent(id: string, copy: string): boolean;
  /** Components are copied or cut. */
  rememberComponents(ids: readonly string[]): void;
}

const ADDRESS = /^https?:\/\/\S+$/;

interface Range {
  readonly from: number;
  readonly to: number;
}

/** What is inserted once its images are uploaded, by the place for it in the text of the moment. */
const WAITING = new PluginKey<ReadonlyMap<symbol, Range>>('waiting');

interface WaitingChange {
  readonly id: symbol;
  /** Undefined: it waits no longer. */
  readonly range?: Range;
}

/**
 * Reads the clipboard and what is dropped by itself: the editor's own way turns text into HTML of the page, which Trusted
 * Types forbid.
 */
export function pastePlugin(host: PasteHost): Plugin {
  return new Plugin<ReadonlyMap<symbol, Range>>({
    key: WAITING,
    state: {
      init: () => new Map(),
      apply(transaction, before) {
        const change: WaitingChange | undefined = transaction.getMeta(WAITING);
        if (!transaction.docChanged && !change) return before;
        const { mapping } = transaction;
        const waiting = new Map(
          // In front of what is typed there meanwhile.
          [...before].map(([id, { from, to }]) => [
            id,
            { from: mapping.map(from, -1), to: mapping.map(to, -1) },
          ]),
        );
        if (change?.range) waiting.set(change.id, change.range);
        else if (change) waiting.delete(change.id);
        return waiting;
      },
    },
    props: {
      transformCopied(slice) {
        host.rememberComponents([...componentsIn(slice.content)]);
        return slice;
      },
      handleDOMEvents: {
        paste(view, event) {
          if (!view.editable || !event.clipboardData) return false;
          event.preventDefault();
          void insert(view, host, event.clipboardData);
          return true;
        },
        drop(view, event) {
          // What is dragged inside of the editor moves.
          if (!view.editable || !event.dataTransfer || view.dragging) return false;
          event.preventDefault();
          const at = view.posAtCoords({ left: event.clientX, top: event.clientY });
          void insert(view, host, event.dataTransfer, at?.pos);
          return true;
        },
      },
    },
  });
}

async function insert(view: EditorView, host: PasteHost, data: DataTransfer, at?: number): Promise<void> {
  const html = data.getData('text/html');
  const text = data.getData('text/plain');
  const isRefused = (added: number) => {
    const { tr } = view.state;
    if (at === undefined) tr.deleteSelection();
    const size = writeRichText(tr.doc).length + added;
    if (size > LARGEST) host.refuse(size);
    return size > LARGEST;
  };
  if (!html && at === undefined && linkSelected(view, text.trim())) return host.report(new Set(), false);
  // Before it is read, where that can be seen.
  if (!html && isRefused(text.length)) return;
  const files = [...data.files].filter(({ type }) => type.startsWith('image/'));
  const cleaned: Cleaned = html
    ? cleanHtml(html)
    : { blocks: readPlainText(text), omitted: new Set(), images: [] };
  if (isRefused(markupOf(cleaned.blocks).length)) return;
  // Office adds an image of the whole text. A browser adds markup that leads to the image which is copied, a folder of macOS
  // the name of the file.
  const isName = !html && files.some(({ name }) => name === text.trim());
  const isImage = files.length > 0 && (isName || cleaned.blocks.length === 0);
  const omitted = new Set(isImage ? [] : cleaned.omitted);
  let blocks = isImage
    ? files.map((_, index) => nodes.figure.create({ asset: `${PENDING}${index}` }))
    : cleaned.blocks;
  const images = isImage ? files : cleaned.images.map(fileOf);
  const id = Symbol('paste');
  if (images.length > 0) {
    const { from, to } = view.state.selection;
    const range = at === undefined ? { from, to } : { from: at, to: at };
    const begins: WaitingChange = { id, range };
    view.dispatch(view.state.tr.setMeta(WAITING, begins));
    host.report(omitted, true);
    const uploaded = await Promise.all(
      images.map(async (image) => image && (await host.upload(image).catch(() => undefined))),
    );
    if (uploaded.includes(undefined)) omitted.add('failedImages');
    blocks = replaceAtoms(blocks, (node) => {
      const asset = node.attrs['asset'] as string;
      if (node.type !== nodes.figure || !asset.startsWith(PENDING)) return node;
      const id = uploaded[Number(asset.slice(PENDING.length))];
      return id === undefined ? undefined : nodes.figure.create({ ...node.attrs, asset: id });
    });
  }
  if (view.isDestroyed) return;
  const present = componentsIn(view.state.doc);
  blocks = replaceAtoms(blocks, (node) => {
    if (node.type !== nodes.object || node.attrs['kind'] !== 'component') return node;
    const { id } = node.attrs as { readonly id: string };
    if (!present.has(id) && host.copyComponent(id, id)) return node;
    const copy = crypto.randomUUID();
    if (host.copyComponent(id, copy)) return nodes.object.create({ ...node.attrs, id: copy });
    omitted.add('embedded');
    return undefined;
  });
  const slice = Slice.maxOpen(Fragment.from(blocks), false);
  const ends: WaitingChange = { id };
  const tr = view.state.tr.setMeta(WAITING, ends);
  const range = WAITING.getState(view.state)?.get(id);
  // Nothing takes the place of what is selected.
  if (blocks.length > 0) {
    if (range) tr.replaceRange(range.from, range.to, slice);
    else if (at === undefined || images.length > 0) tr.replaceSelection(slice);
    else tr.replaceRange(at, at, slice);
  }
  view.dispatch(tr.scrollIntoView().setMeta('paste', true).setMeta('uiEvent', 'paste'));
  host.report(omitted, false);
}

/** Links the selected text to an address that is pasted over it, unless it is one itself. */
function linkSelected({ state, dispatch }: EditorView, address: string): boolean {
  const { $from, $to, empty } = state.selection;
  if (empty || !$from.sameParent($to) || !$from.parent.inlineContent || !ADDRESS.test(address)) return false;
  if (ADDRESS.test($from.parent.textBetween($from.parentOffset, $to.parentOffset).trim())) return false;
  return setLink(linkOf({ href: address }), '')(state, dispatch);
}

/** Figures and objects, wherever they are; undefined removes one. */
function replaceAtoms(blocks: readonly Node[], replace: (node: Node) => Node | undefined): Node[] {
  return blocks.flatMap((node) => {
    if (node.type === nodes.figure || node.type === nodes.object) return replace(node) ?? [];
    if (node.isTextblock || node.isLeaf) return [node];
    const children = replaceAtoms(node.children, replace);
    const isFilled = children.length > 0 || node.type.validContent(Fragment.empty);
    return [node.copy(Fragment.from(isFilled ? children : nodes.run.create()))];
  });
}

function markupOf(blocks: readonly Node[]): string {
  return writeRichText(nodes.doc.create(null, blocks));
}

function componentsIn(doc: Node | Fragment): ReadonlySet<string> {
  const found = new Set<string>();
  doc.descendants((node) => {
    if (node.type === nodes.object) found.add(node.attrs['id'] as string);
    return !node.isTextblock;
  });
  return found;
}

/** Undefined where the data are broken. */
function fileOf({ data, mediaType }: Cleaned['images'][number]): File | undefined {
  try {
    const bytes = Uint8Array.from(atob(data.replace(/\s+/g, '')), (character) => character.charCodeAt(0));
    return new File([bytes], `image.${mediaType.slice('image/'.length)}`, { type: mediaType });
  } catch {
    return undefined;
  }
}
