/** Word writes a list as paragraphs: `mso-list:l0 level2 lfo1`, with the number or the bullet as text. */
import { Fragment, type Node } from 'prosemirror-model';
import { nodes } from '../schema.ts';
import type { Element } from './html-tree.ts';
import { declarations } from './styles.ts';

interface Entry {
  /** From 1. */
  readonly level: number;
  readonly isOrdered: boolean;
}

const entries = new WeakMap<Node, Entry>();

/** Marks the paragraphs of an element that is an entry of a list; undefined for any other element. */
export function wordListOf(element: Element): ((block: Node) => Node) | undefined {
  const level = /\blevel([1-9])\b/.exec(declarations(element).get('mso-list') ?? '')?.[1];
  if (level === undefined) return undefined;
  const entry = { level: Number(level), isOrdered: /^\s*\(?[0-9a-z]{1,5}[.)]/i.test(markerOf(element)) };
  return (block) => {
    if (block.type !== nodes.paragraph) return block;
    const marked = nodes.paragraph.create(null, block.content);
    entries.set(marked, entry);
    return marked;
  };
}

function markerOf(element: Element): string {
  for (const child of element.children) {
    if (typeof child === 'string') continue;
    if (declarations(child).get('mso-list') === 'ignore') return textOf(child);
    const found = markerOf(child);
    if (found !== '') return found;
  }
  return '';
}

function textOf({ children }: Element): string {
  return children.map((child) => (typeof child === 'string' ? child : textOf(child))).join('');
}

/** Makes lists of neighbouring paragraphs that were marked. */
export function joinListParagraphs(flow: readonly Node[]): Node[] {
  const joined: Node[] = [];
  for (let at = 0; at < flow.length; ) {
    let end = at;
    while (end < flow.length && (entries.has(flow[end] as Node) || (end > at && isSpace(flow[end] as Node))))
      end += 1;
    const paragraphs = flow.slice(at, end).filter((node) => entries.has(node));
    if (paragraphs.length > 0) joined.push(...lists(paragraphs, 1));
    else joined.push(flow[at] as Node);
    at = Math.max(end, at + 1);
  }
  return joined;
}

function isSpace(node: Node): boolean {
  return node.isText && (node.text ?? '').trim() === '';
}

/** Lists of the paragraphs at a level; deeper ones are in the item before them. */
function lists(paragraphs: readonly Node[], level: number): Node[] {
  const found: Node[] = [];
  for (let at = 0; at < paragraphs.length; ) {
    const first = entries.get(paragraphs[at] as Node) as Entry;
    const items: Node[] = [];
    while (at < paragraphs.length) {
      const paragraph = paragraphs[at] as Node;
      const entry = entries.get(paragraph) as Entry;
      if (entry.level <= level && items.length > 0 && entry.isOrdered !== first.isOrdered) break;
      let end = at + 1;
      while (end < paragraphs.length && (entries.get(paragraphs[end] as Node) as Entry).level > level)
        end += 1;
      const inner = lists(paragraphs.slice(at + 1, end), level + 1);
      items.push(nodes.list_item.create(null, [nodes.run.create(null, paragraph.content), ...inner]));
      at = end;
    }
    found.push((first.isOrdered ? nodes.ordered_list : nodes.bullet_list).create(null, Fragment.from(items)));
  }
  return found;
}
