import { type Mark, Mark as MarkSet, type Node, type NodeType } from 'prosemirror-model';
import { unescapeText } from './html-text.ts';
import { linkOf } from './link.ts';
import { marks, nodes, schema } from './schema.ts';
import { isBlank } from './tidy-runs.ts';

/** The bytes a node was read from. */
export interface Source {
  /** White space between the node and what is before it. */
  readonly before: string;
  readonly html: string;
}

/** Where the nodes of a document came from. Nodes never change, so a node that is found here was not edited. */
export interface Sources {
  readonly of: WeakMap<Node, Source>;
  /** All nodes that were read, in their order, by kind and text. */
  readonly like: ReadonlyMap<string, readonly Node[]>;
}

export interface ReadDocument {
  readonly doc: Node;
  readonly sources: Sources;
}

/** The text is not in the stored form. */
export class NotReadable extends Error {}

/** Key of a node in `Sources.like`. */
export function likeness(node: Node): string {
  return `${node.type.name} ${node.textContent}`;
}

/** What the service stores for an empty text. */
export const EMPTY = '<p><br/></p>';
const TOKEN = /<(\/?)([a-z][a-z0-9]*)((?: [a-z-]+="[^"]*")*)\/?>|[^<]+/y;
const ATTRIBUTE = / ([a-z-]+)="([^"]*)"/g;

const BLOCKS: Readonly<Record<string, NodeType>> = {
  p: nodes.paragraph,
  h1: nodes.heading,
  h2: nodes.heading,
  h3: nodes.heading,
  h4: nodes.heading,
  ol: nodes.ordered_list,
  ul: nodes.bullet_list,
  li: nodes.list_item,
  table: nodes.table,
  tbody: nodes.table_body,
  tr: nodes.table_row,
  td: nodes.table_cell,
  figure: nodes.figure,
  object: nodes.object,
};
const STYLES = ['strong', 'em', 'sup', 'sub', 'code'] as const;

/** Reads the form in which the service stores and returns rich text, by scanning: it is regular. */
export function readRichText(html: string): ReadDocument {
  const reader = new Reader(html);
  const doc = html === '' || html === EMPTY ? reader.empty() : reader.document();
  return { doc, sources: reader.sources };
}

interface Token {
  readonly kind: 'open' | 'close' | 'text' | 'end';
  /** Name of the tag, or the text as it stands. */
  readonly value: string;
  readonly attributes: string;
  readonly start: number;
  readonly end: number;
}

class Reader {
  readonly #html: string;
  readonly #of = new WeakMap<Node, Source>();
  readonly #like = new Map<string, Node[]>();
  #next: Token;

  constructor(html: string) {
    this.#html = html;
    this.#next = this.#scan(0);
  }

  get sources(): Sources {
    return { of: this.#of, like: this.#like };
  }

  /** The service stores a line break in an empty text, so that browsers show its paragraph. */
  empty(): Node {
    return this.#note(nodes.doc.create(null, nodes.paragraph.create()), { before: '', html: this.#html });
  }

  document(): Node {
    const doc = this.#node(nodes.doc, null, this.#children(nodes.doc));
    if (this.#next.kind !== 'end') this.#refuse();
    this.#note(doc, { before: '', html: this.#html });
    return doc;
  }

  /** The blocks and runs up to the end tag of their parent. */
  #children(parent: NodeType): Node[] {
    const mayHaveRuns = parent === nodes.list_item || parent === nodes.table_cell;
    const found: Node[] = [];
    for (;;) {
      const start = this.#next.start;
      const inline = mayHaveRuns ? this.#inline(MarkSet.none) : this.#skipSpace();
      const html = this.#html.slice(start, this.#next.start);
      const isRun = !isBlank(inline);
      if (isRun) found.push(this.#note(this.#node(nodes.run, null, inline), { before: '', html }));
      const { kind, value } = this.#next;
      const type = kind === 'open' ? BLOCKS[value] : undefined;
      if (!type) break;
      // Tags without text stay with their parent: they may not stand wherever the block is moved to.
      found.push(this.#block(type, isRun || html.includes('<') ? '' : html));
    }
    if (found.length === 0 && mayHaveRuns) found.push(nodes.run.create());
    return found;
  }

  #block(type: NodeType, before: string): Node {
    const { value: tag, attributes, start } = this.#take('open');
    let node: Node;
    if (type === nodes.figure) node = this.#figure(attributes);
    else if (type === nodes.object) {
      const {
        type: mediaType = null,
        'data-type': kind = '',
        'data-id': id = '',
      } = readAttributes(attributes);
      node = this.#node(type, { mediaType, kind, id }, []);
    } else {
      const content = type.inlineContent ? this.#inline(MarkSet.none) : this.#children(type);
      node = this.#node(type, type === nodes.heading ? { level: Number(tag[1]) } : null, content);
    }
    const { end } = this.#take('close', tag);
    return this.#note(node, { before, html: this.#html.slice(start, end) });
  }

  #figure(attributes: string): Node {
    const image = this.#take('open', 'img').attributes;
    const { 'data-asset-id': asset = '' } = readAttributes(attributes);
    const { alt: description = null } = readAttributes(image);
    return this.#node(nodes.figure, { asset, description }, []);
  }

  #inline(around: readonly Mark[]): Node[] {
    const found: Node[] = [];
    for (;;) {
      const { kind, value, attributes } = this.#next;
      if (kind === 'text') {
        found.push(schema.text(unescapeText(value), around));
        this.#advance();
      } else if (kind === 'open' && value === 'br') {
        found.push(nodes.line_break.create(null, null, around));
        this.#advance();
      } else if (kind === 'open' && (value === 'a' || isStyle(value))) {
        const mark =
          value === 'a' ? marks.link.create(linkOf(readAttributes(attributes))) : schema.mark(value);
        this.#advance();
        for (const node of this.#inline(mark.addToSet(around))) found.push(node);
        this.#take('close', value);
      } else return found;
    }
  }

  #node(type: NodeType, attributes: Readonly<Record<string, unknown>> | null, content: Node[]): Node {
    try {
      // Joins neighbouring texts with the same marks, and holds the content against the schema.
      return type.createChecked(attributes, joinTexts(content));
    } catch (error) {
      throw new NotReadable((error as Error).message);
    }
  }

  #note(node: Node, source: Source): Node {
    this.#of.set(node, source);
    const key = likeness(node);
    const like = this.#like.get(key);
    if (!like) this.#like.set(key, [node]);
    // One of the empty cells of a table stands for the others.
    else if (!isSame(this.#of.get(like.at(-1) as Node), source)) like.push(node);
    return node;
  }

  #skipSpace(): Node[] {
    if (this.#next.kind === 'text') {
      if (this.#next.value.trim() !== '') this.#refuse();
      this.#advance();
    }
    return [];
  }

  #take(kind: Token['kind'], tag?: string): Token {
    const taken = this.#next;
    if (taken.kind !== kind || (tag !== undefined && taken.value !== tag)) this.#refuse();
    this.#advance();
    return taken;
  }

  #advance(): void {
    this.#next = this.#scan(this.#next.end);
  }

  #scan(start: number): Token {
    if (start === this.#html.length) return { kind: 'end', value: '', attributes: '', start, end: start };
    TOKEN.lastIndex = start;
    const match = TOKEN.exec(this.#html);
    if (!match) throw new NotReadable(`Position ${start} is not rich text.`);
    const [text, slash, name, attributes = ''] = match;
    const end = start + text.length;
    if (name === undefined) return { kind: 'text', value: text, attributes, start, end };
    return { kind: slash ? 'close' : 'open', value: name, attributes, start, end };
  }

  #refuse(): never {
    throw new NotReadable(`Position ${this.#next.start} is not rich text.`);
  }
}

function isSame(one: Source | undefined, other: Source): boolean {
  return one?.html === other.html && one.before === other.before;
}

function isStyle(tag: string): tag is (typeof STYLES)[number] {
  return (STYLES as readonly string[]).includes(tag);
}

function joinTexts(content: readonly Node[]): Node[] {
  const joined: Node[] = [];
  for (const node of content) {
    const last = joined.at(-1);
    if (last?.isText && node.isText && MarkSet.sameSet(last.marks, node.marks))
      joined[joined.length - 1] = schema.text(`${last.text}${node.text}`, node.marks);
    else joined.push(node);
  }
  return joined;
}

function readAttributes(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...text.matchAll(ATTRIBUTE)].map(([, name, value]) => [name, unescapeText(value ?? '')]),
  );
}
