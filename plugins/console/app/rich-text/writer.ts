import type { Fragment, Mark, Node } from 'prosemirror-model';
import { attributesText, escapeText } from './html-text.ts';
import { type LinkAttributes, linkAttributes } from './link.ts';
import { EMPTY, likeness, type Source, type Sources } from './reader.ts';

const TAGS: Readonly<Record<string, string>> = {
  paragraph: 'p',
  ordered_list: 'ol',
  bullet_list: 'ul',
  list_item: 'li',
  table: 'table',
  table_body: 'tbody',
  table_row: 'tr',
  table_cell: 'td',
};

/**
 * Writes a document in the form that the service stores. A node that was not edited, and one that equals a node that was
 * read (undo makes new objects), gets the bytes it was read from.
 * @param sources absent: everything is written anew
 */
export function writeRichText(doc: Node, sources?: Sources): string {
  return new Writer(doc, sources).write();
}

class Writer {
  readonly #doc: Node;
  readonly #sources: Sources | undefined;
  /** Nodes that were read and whose bytes are used. */
  #used: Set<Node> | undefined;

  constructor(doc: Node, sources: Sources | undefined) {
    this.#doc = doc;
    this.#sources = sources;
  }

  write(): string {
    const source = this.#source(this.#doc);
    if (source) return source.html;
    // White space in front of the first block is not stored.
    const html = this.#children(this.#doc).trim();
    return html === '<p></p>' ? EMPTY : html;
  }

  #children({ children }: Node): string {
    let html = '';
    for (const [index, node] of children.entries()) {
      const source = this.#source(node);
      // Behind a run, white space would be its text.
      if (source && children[index - 1]?.type.name !== 'run') html += source.before;
      html += source?.html ?? this.#block(node);
    }
    return html;
  }

  #block(node: Node): string {
    const { name } = node.type;
    if (name === 'run') return inlineText(node.content);
    if (name === 'figure') {
      const { asset, description } = node.attrs as {
        readonly asset: string;
        readonly description: string | null;
      };
      const outer = attributesText([['data-asset-id', asset]]);
      const inner = attributesText([
        ['src', '#'],
        ['data-asset-id', asset],
        ['alt', description || null],
      ]);
      return `<figure${outer}><img${inner}></figure>`;
    }
    if (name === 'object') {
      const { mediaType, kind, id } = node.attrs as Readonly<Record<string, string>> & {
        readonly mediaType: string | null;
      };
      const attributes = attributesText([
        ['type', mediaType],
        ['data-type', kind ?? ''],
        ['data-id', id ?? ''],
      ]);
      return `<object${attributes}></object>`;
    }
    const tag = TAGS[name] ?? `h${node.attrs['level']}`;
    const content = node.inlineContent ? inlineText(node.content) : this.#children(node);
    return `<${tag}>${content}</${tag}>`;
  }

  #source(node: Node): Source | undefined {
    const found = this.#sources?.of.get(node);
    if (found || !this.#sources) return found;
    const equal = (this.#sources.like.get(likeness(node)) ?? []).filter((one) => one.eq(node));
    if (equal.length === 0) return undefined;
    let chosen = equal[0] as Node;
    if (equal.length > 1) {
      // Equal nodes may have been written differently: each gets the bytes of one that is not in use.
      this.#used ??= this.#unedited();
      const used = this.#used;
      chosen = equal.find((one) => !used.has(one)) ?? chosen;
      used.add(chosen);
    }
    return this.#sources.of.get(chosen);
  }

  #unedited(): Set<Node> {
    const found = new Set<Node>();
    this.#doc.descendants((node) => {
      if (this.#sources?.of.has(node)) found.add(node);
      return !node.isTextblock;
    });
    return found;
  }
}

function inlineText(content: Fragment): string {
  let html = '';
  let open: readonly Mark[] = [];
  content.forEach((node) => {
    let same = 0;
    while (same < open.length && node.marks[same]?.eq(open[same] as Mark)) same += 1;
    html += closing(open.slice(same));
    open = node.marks;
    html += open.slice(same).map(openingTag).join('');
    html += node.isText ? escapeText(node.text ?? '') : '<br/>';
  });
  return html + closing(open);
}

function closing(marks: readonly Mark[]): string {
  return marks
    .map(({ type }) => `</${type.name === 'link' ? 'a' : type.name}>`)
    .reverse()
    .join('');
}

function openingTag({ type, attrs }: Mark): string {
  if (type.name !== 'link') return `<${type.name}>`;
  return `<a${attributesText(linkAttributes(attrs as LinkAttributes))}>`;
}
