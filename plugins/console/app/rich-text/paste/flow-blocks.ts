/** Makes blocks of what is pasted: inline nodes and blocks in the order of the text. */
import { Fragment, type Node, type NodeType } from 'prosemirror-model';
import { marks, nodes, schema } from '../schema.ts';

/** Paragraphs of the inline nodes between blocks. */
export function toBlocks(flow: readonly Node[]): Node[] {
  return group(flow, (content) => nodes.paragraph.create(null, content));
}

/** The content of an item or a cell: a single paragraph is its text. */
export function itemBlocks(flow: readonly Node[]): Node[] {
  const blocks = group(flow, (content) => nodes.run.create(null, content));
  const isSingle = blocks.filter(({ type }) => type === nodes.paragraph || type === nodes.run).length === 1;
  return isSingle
    ? blocks.map((node) => (node.type === nodes.paragraph ? nodes.run.create(null, node.content) : node))
    : blocks;
}

function group(flow: readonly Node[], wrap: (content: Fragment) => Node): Node[] {
  const blocks: Node[] = [];
  let inline: Node[] = [];
  // Some programs write a list for each entry: neighbouring ones are one list.
  let list: { readonly type: NodeType; readonly items: Node[] } | undefined;
  const end = () => {
    const content = trimmed(inline);
    if (list && (content.size > 0 || inline.length === 0)) {
      blocks.push(list.type.create(null, list.items));
      list = undefined;
    }
    if (content.size > 0) blocks.push(wrap(content));
    inline = [];
  };
  for (const node of flow) {
    if (node.isInline) {
      inline.push(node);
      continue;
    }
    if (inline.length > 0) end();
    if (list && list.type !== node.type) end();
    if (!isList(node)) blocks.push(node);
    else {
      list ??= { type: node.type, items: [] };
      for (const item of node.children) list.items.push(item);
    }
  }
  if (inline.length > 0) end();
  end();
  return blocks;
}

/** Without white space at the ends and beside line breaks, nor twice. */
function trimmed(inline: readonly Node[]): Fragment {
  const kept: Node[] = [];
  let isSpaceBefore = true;
  for (const node of inline) {
    if (!node.isText) {
      trimEnd(kept);
      kept.push(node);
      isSpaceBefore = true;
      continue;
    }
    let text = node.text ?? '';
    if (isSpaceBefore && /^[ \u00a0]/.test(text) && !marks.code.isInSet(node.marks)) text = text.slice(1);
    if (text === '') continue;
    isSpaceBefore = text.endsWith(' ');
    kept.push(schema.text(text, node.marks));
  }
  trimEnd(kept);
  // A line break at the end of a block shows nothing.
  while (kept.at(-1)?.type === nodes.line_break) kept.pop();
  return Fragment.fromArray(kept);
}

function isList({ type }: Node): boolean {
  return type === nodes.ordered_list || type === nodes.bullet_list;
}

function trimEnd(kept: Node[]): void {
  for (let last = kept.at(-1); last?.isText; last = kept.at(-1)) {
    const given = last.text ?? '';
    let end = given.length;
    while (given[end - 1] === ' ' || given[end - 1] === '\u00a0') end -= 1;
    const text = given.slice(0, end);
    if (text === last.text) return;
    kept.pop();
    if (text !== '') kept.push(schema.text(text, last.marks));
  }
}
