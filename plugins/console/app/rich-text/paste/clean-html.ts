import { Fragment, type Mark, Mark as MarkSet, type Node } from 'prosemirror-model';
import { withoutControls } from '../html-text.ts';
import { marks, nodes, schema } from '../schema.ts';
import { itemBlocks, toBlocks } from './flow-blocks.ts';
import { type Element, readHtml } from './html-tree.ts';
import { linkTarget } from './link-target.ts';
import { declarations, textStyleOf } from './styles.ts';
import { joinListParagraphs, wordListOf } from './word-lists.ts';

/** What a rich text cannot hold, or did not get. */
export type Omission =
  | 'underline'
  | 'strikethrough'
  | 'colors'
  | 'smallHeadings'
  | 'quotes'
  | 'rules'
  | 'tableHeaders'
  | 'mergedCells'
  | 'nestedTables'
  | 'images'
  | 'failedImages'
  | 'embedded'
  | 'fields'
  | 'comments'
  | 'links';

/** An image whose bytes are in the clipboard. */
export interface PastedImage {
  readonly data: string;
  readonly mediaType: string;
}

export interface Cleaned {
  readonly blocks: readonly Node[];
  readonly omitted: ReadonlySet<Omission>;
  /** A figure of `blocks` names its image by `PENDING` and the index here. */
  readonly images: readonly PastedImage[];
}

export const PENDING = 'pending:';

/** Maps the HTML that any program puts into the clipboard to what rich text can hold. */
export function cleanHtml(html: string): Cleaned {
  const cleaner = new Cleaner();
  const flow = cleaner.flow(readHtml(html), { marks: MarkSet.none, isPreformatted: false, isInCell: false });
  return { blocks: toBlocks(flow), omitted: cleaner.omitted, images: cleaner.images };
}

interface Context {
  readonly marks: readonly Mark[];
  readonly isPreformatted: boolean;
  readonly isInCell: boolean;
}

const BLOCK =
  /^(?:address|article|aside|body|center|details|dd|div|dl|dt|fieldset|figcaption|footer|form|header|html|main|nav|p|pre|section|summary|caption)$/;
const EMBEDDED = /^(?:iframe|video|audio|embed|svg|canvas|applet|math|map|object|v:.*|o:olelink.*)$/;
const FIELD = /^(?:input|textarea|button|datalist|meter|progress|output)$/;

class Cleaner {
  readonly omitted = new Set<Omission>();
  readonly images: PastedImage[] = [];

  /** Inline nodes and blocks, in the order of the text. A block ends the inline nodes before it. */
  flow(element: Element, context: Context): Node[] {
    const found: Node[] = [];
    for (const child of element.children) {
      if (typeof child === 'string') for (const node of textNodes(child, context)) found.push(node);
      else for (const node of this.#element(child, context)) found.push(node);
    }
    return joinListParagraphs(found);
  }

  #element(element: Element, context: Context): readonly Node[] {
    const { name, attributes } = element;
    if (isIgnored(element)) {
      if (/mso-element|comment/.test(`${attributes['style']} ${attributes['class']}`))
        this.omitted.add('comments');
      return [];
    }
    switch (name) {
      case 'br':
        return [nodes.line_break.create(null, null, context.marks)];
      case 'img':
        return this.#image(attributes);
      case 'figure':
        return this.#figure(element, context);
      case 'ul':
      case 'ol':
        return this.#list(element, context);
      case 'li':
        return this.#list({ name: 'ul', attributes: {}, children: [element] }, context);
      case 'table':
        return this.#table(element, context);
      case 'hr':
        this.omitted.add('rules');
        return [];
      case 'blockquote':
        this.omitted.add('quotes');
        return toBlocks(this.flow(element, context));
      case 'object':
        return this.#object(attributes);
      case 'h1':
      case 'h2':
      case 'h3':
      case 'h4':
      case 'h5':
      case 'h6':
        return this.#heading(element, Number(name[1]), context);
    }
    if (EMBEDDED.test(name)) return this.#omit('embedded');
    if (name === 'select') return this.#omit('fields');
    if (FIELD.test(name)) this.omitted.add('fields');
    if (attributes['class'] === 'Apple-converted-space') return textNodes(' ', context);
    // The editor's own text between blocks.
    if (attributes['class'] === 'run') return this.flow(element, context);
    if (BLOCK.test(name)) return this.#block(element, context);
    return this.flow(element, this.#inlineContext(element, context));
  }

  #omit(what: Omission): readonly [] {
    this.omitted.add(what);
    return [];
  }

  #inlineContext(element: Element, context: Context): Context {
    const style = textStyleOf(element);
    let set = context.marks;
    const apply = (mark: Mark, isOn: boolean | undefined) => {
      if (isOn !== undefined) set = isOn ? mark.addToSet(set) : mark.removeFromSet(set);
    };
    apply(marks.strong.create(), style.strong);
    apply(marks.em.create(), style.em);
    apply(marks.code.create(), style.code);
    if (style.position !== undefined) {
      apply(marks.sup.create(), style.position === 'sup');
      apply(marks.sub.create(), style.position === 'sub');
    }
    if (style.strikethrough) this.omitted.add('strikethrough');
    if (style.colored) this.omitted.add('colors');
    if (element.name === 'a') {
      const link = linkTarget(element.attributes);
      if (link) set = marks.link.create(link).addToSet(set);
      else if (element.attributes['href']) this.omitted.add('links');
    } else if (style.underline && !marks.link.isInSet(set)) this.omitted.add('underline');
    return { ...context, marks: set };
  }

  #block(element: Element, context: Context): Node[] {
    const list = wordListOf(element);
    const isTitle = /\bMsoTitle\b/.test(element.attributes['class'] ?? '');
    if (isTitle) return this.#heading(element, 1, context);
    const isPreformatted =
      context.isPreformatted || element.name === 'pre' || declarations(element).get('white-space') === 'pre';
    const inner = { ...this.#inlineContext(element, context), isPreformatted };
    if (element.name === 'pre') inner.marks = marks.code.create().addToSet(inner.marks);
    const blocks = toBlocks(this.flow(element, inner));
    return list ? blocks.map(list) : blocks;
  }

  #heading(element: Element, level: number, context: Context): Node[] {
    if (level > 4) this.omitted.add('smallHeadings');
    // Programs make the text of a heading bold; a heading is.
    const content = this.flow(element, context);
    return toBlocks(content).map((block) =>
      block.type === nodes.paragraph
        ? nodes.heading.create({ level: Math.min(level, 4) }, withoutMark(block.content))
        : block,
    );
  }

  #list(element: Element, context: Context): Node[] {
    const type = element.name === 'ol' ? nodes.ordered_list : nodes.bullet_list;
    const items: Node[] = [];
    const behind: Node[] = [];
    for (const child of element.children) {
      if (typeof child === 'string' && child.trim() === '') continue;
      const isItem = typeof child !== 'string' && child.name === 'li';
      const flow = isItem
        ? this.flow(child, this.#inlineContext(child, context))
        : this.flow({ name: '', attributes: {}, children: [child] }, context);
      const content: Node[] = [];
      for (const node of itemBlocks(flow.map(withoutHeading)))
        (mayBeInItem(node) ? content : behind).push(node);
      const last = items.at(-1);
      // Some programs write a list of the next level beside the item it belongs to.
      if (!isItem && last) items[items.length - 1] = last.copy(last.content.append(Fragment.from(content)));
      else items.push(nodes.list_item.create(null, content.length > 0 ? content : nodes.run.create()));
    }
    return items.length > 0 ? [type.create(null, items), ...behind] : behind;
  }

  #table(element: Element, context: Context): Node[] {
    if (context.isInCell) {
      this.omitted.add('nestedTables');
      return cellsOf(element).flatMap(({ cells }) =>
        cells.flatMap((cell) => toBlocks(this.flow(cell, context))),
      );
    }
    const rows = cellsOf(element).map(({ cells }) =>
      nodes.table_row.create(
        null,
        cells.flatMap((cell) => this.#cell(cell, context)),
      ),
    );
    const caption = element.children.find((child) => typeof child !== 'string' && child.name === 'caption') as
      | Element
      | undefined;
    return [
      ...(caption ? this.#block(caption, context) : []),
      ...(rows.length > 0 ? [nodes.table.create(null, nodes.table_body.create(null, rows))] : []),
    ];
  }

  #cell(cell: Element, context: Context): Node[] {
    const inner = { ...this.#inlineContext(cell, context), isInCell: true };
    if (cell.name === 'th') {
      this.omitted.add('tableHeaders');
      inner.marks = marks.strong.create().addToSet(inner.marks);
    }
    const content = itemBlocks(this.flow(cell, inner));
    const span = Math.min(Number(cell.attributes['colspan'] ?? 1) || 1, 50);
    if (span > 1 || Number(cell.attributes['rowspan'] ?? 1) > 1) this.omitted.add('mergedCells');
    const first = nodes.table_cell.create(null, content.length > 0 ? content : nodes.run.create());
    const empty = Array.from({ length: span - 1 }, () => nodes.table_cell.create(null, nodes.run.create()));
    return [first, ...empty];
  }

  #image(attributes: Element['attributes']): readonly Node[] {
    const { src = '', alt, 'data-asset-id': asset } = attributes;
    const description = alt || null;
    if (asset) return [nodes.figure.create({ asset, description })];
    const inline = /^data:(image\/(?:png|jpeg|gif|webp));base64,([\w+/=\s]+)$/.exec(src);
    if (!inline) return this.#omit('images');
    this.images.push({ mediaType: inline[1] as string, data: inline[2] as string });
    return [nodes.figure.create({ asset: `${PENDING}${this.images.length - 1}`, description })];
  }

  #figure(element: Element, context: Context): readonly Node[] {
    const own = element.attributes['data-asset-id'];
    if (!own) return this.#block({ ...element, name: 'div' }, context);
    const image = element.children.find((child) => typeof child !== 'string' && child.name === 'img');
    const alt = image === undefined ? undefined : (image as Element).attributes['alt'];
    return [nodes.figure.create({ asset: own, description: alt || null })];
  }

  #object({ 'data-type': kind, 'data-id': id }: Element['attributes']): readonly Node[] {
    if ((kind === 'item' || kind === 'component') && id) return [nodes.object.create({ kind, id })];
    return this.#omit('embedded');
  }
}

/** Office marks what is not text of the document. */
function isIgnored(element: Element): boolean {
  const { name, attributes } = element;
  if (/^(?:head|meta|link|col|colgroup|o:p|w:sdtpr|!--)$/.test(name)) return true;
  const css = declarations(element);
  return (
    css.get('mso-list') === 'ignore' ||
    css.get('display') === 'none' ||
    /^(?:comment|comment-list)$/.test(css.get('mso-element') ?? '') ||
    /\b(?:MsoCommentReference|msocomanchor|MsoCommentText)\b/.test(attributes['class'] ?? '')
  );
}

function textNodes(text: string, { marks: set, isPreformatted }: Context): Node[] {
  const clean = withoutControls(text);
  if (!isPreformatted) {
    // Several non-breaking spaces stand for a tab or an indent.
    const collapsed = clean.replace(/[ \t\n\r\f]*(?:\u00a0[ \t\n\r\f]*){2,}|[ \t\n\r\f]+/g, ' ');
    return collapsed === '' ? [] : [schema.text(collapsed, set)];
  }
  return clean
    .split(/\r\n?|\n/)
    .flatMap((line, index) => [
      ...(index > 0 ? [nodes.line_break.create(null, null, set)] : []),
      ...(line === '' ? [] : [schema.text(line, set)]),
    ]);
}

function mayBeInItem({ type }: Node): boolean {
  return nodes.list_item.contentMatch.matchType(type) !== null;
}

function withoutHeading(node: Node): Node {
  return node.type === nodes.heading ? nodes.paragraph.create(null, node.content) : node;
}

function withoutMark(content: Fragment): Fragment {
  return Fragment.fromArray(content.content.map((node) => node.mark(marks.strong.removeFromSet(node.marks))));
}

interface Row {
  readonly cells: readonly Element[];
}

function cellsOf(table: Element): readonly Row[] {
  const rows: Row[] = [];
  const visit = (element: Element) => {
    for (const child of element.children) {
      if (typeof child === 'string') continue;
      if (child.name === 'tr') {
        const cells = child.children.filter(
          (cell): cell is Element => typeof cell !== 'string' && (cell.name === 'td' || cell.name === 'th'),
        );
        if (cells.length > 0) rows.push({ cells });
      } else if (/^(?:thead|tbody|tfoot)$/.test(child.name)) visit(child);
    }
  };
  visit(table);
  return rows;
}
