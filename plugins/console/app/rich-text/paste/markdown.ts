/** Plain text, read as Markdown where it has its marks. */
import { Fragment, type Mark, Mark as MarkSet, type Node } from 'prosemirror-model';
import { withoutControls } from '../html-text.ts';
import { marks, nodes, schema } from '../schema.ts';

const HEADING = /^ {0,3}(#{1,6})\s(.*)$/s;
const ITEM = /^(\s*)(?:([-*+])|(\d{1,9})[.)])\s+(.*)$/;
/** A list begins with the number 1: it keeps no other, and `24. December` is no entry. */
const FIRST_ITEM = /^\s*(?:[-*+]|1[.)])\s/;
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const FENCE = /^ {0,3}(```|~~~)/;
const ROW = /^\s*\|.*\|\s*$/;

/** Marks are looked for in lines up to this length, so that the time stays short. */
const LONGEST = 10_000;

/** Blocks of a text: a paragraph for each block of lines, with the structure that Markdown gives it. */
export function readPlainText(text: string): Node[] {
  const lines = withoutControls(text.replace(/\r\n?/g, '\n')).split('\n');
  const blocks: Node[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] as string;
    const heading = HEADING.exec(line);
    if (line.trim() === '' || RULE.test(line)) at += 1;
    else if (heading) {
      const level = Math.min((heading[1] as string).length, 4);
      blocks.push(nodes.heading.create({ level }, inline(headingText(heading[2] as string))));
      at += 1;
    } else if (FENCE.test(line)) {
      const end = endOf(lines, at + 1, (one) => !FENCE.test(one));
      blocks.push(
        nodes.paragraph.create(
          null,
          withBreaks(lines.slice(at + 1, end), (one) => plain(one.trimEnd(), [marks.code.create()])),
        ),
      );
      at = end + 1;
    } else if (FIRST_ITEM.test(line)) {
      const isOfItem = (one: string) => ITEM.test(one) || /^\s+\S/.test(one);
      // There may be an empty line between two entries.
      const end = endOf(lines, at, (one, index) =>
        isOfItem(one.trim() === '' ? (lines[index + 1] ?? '') : one),
      );
      blocks.push(...lists(itemsOf(lines.slice(at, end))));
      at = end;
    } else if (ROW.test(line)) {
      const end = endOf(lines, at, (one) => ROW.test(one));
      blocks.push(table(lines.slice(at, end)));
      at = end;
    } else {
      const isText = (one: string) =>
        one.trim() !== '' &&
        !HEADING.test(one) &&
        !FIRST_ITEM.test(one) &&
        !FENCE.test(one) &&
        !ROW.test(one);
      const end = Math.max(endOf(lines, at, isText), at + 1);
      blocks.push(
        nodes.paragraph.create(
          null,
          withBreaks(
            lines.slice(at, end).map((one) => one.replace(/^>\s?/, '')),
            textLine,
          ),
        ),
      );
      at = end;
    }
  }
  return blocks;
}

function endOf(
  lines: readonly string[],
  from: number,
  belongs: (line: string, index: number) => boolean,
): number {
  let end = from;
  while (end < lines.length && belongs(lines[end] as string, end)) end += 1;
  return end;
}

function withBreaks(lines: readonly string[], read: (line: string) => readonly Node[]): Fragment {
  return Fragment.fromArray(
    lines.flatMap((line, index) => [...(index > 0 ? [nodes.line_break.create()] : []), ...read(line)]),
  );
}

function textLine(line: string): readonly Node[] {
  return inline(line.trim());
}

interface Item {
  readonly indent: number;
  readonly isOrdered: boolean;
  readonly lines: string[];
}

function itemsOf(lines: readonly string[]): Item[] {
  const items: Item[] = [];
  for (const line of lines) {
    if (line.trim() === '') continue;
    const match = ITEM.exec(line);
    if (!match) items.at(-1)?.lines.push(line);
    else {
      const [, space = '', , number, text = ''] = match;
      items.push({
        indent: space.replaceAll('\t', '    ').length,
        isOrdered: number !== undefined,
        lines: [text],
      });
    }
  }
  return items;
}

/** Items that are indented more are a list in the item before them. */
function lists(items: readonly Item[], depth = 0): Node[] {
  const found: Node[] = [];
  for (let at = 0; at < items.length; ) {
    const first = items[at] as Item;
    const entries: Node[] = [];
    while (at < items.length) {
      const item = items[at] as Item;
      if (entries.length > 0 && item.isOrdered !== first.isOrdered) break;
      let end = at + 1;
      while (depth < 10 && end < items.length && (items[end] as Item).indent > item.indent + 1) end += 1;
      const content = nodes.run.create(null, withBreaks(item.lines, textLine));
      entries.push(nodes.list_item.create(null, [content, ...lists(items.slice(at + 1, end), depth + 1)]));
      at = end;
    }
    found.push((first.isOrdered ? nodes.ordered_list : nodes.bullet_list).create(null, entries));
  }
  return found;
}

function table(lines: readonly string[]): Node {
  const rows = lines
    .filter((line) => !/^[\s|:-]+$/.test(line))
    .map((line) => {
      const cells = line
        .trim()
        .replace(/^\||\|$/g, '')
        .split('|');
      return nodes.table_row.create(
        null,
        cells.map((cell) => nodes.table_cell.create(null, nodes.run.create(null, inline(cell.trim())))),
      );
    });
  return nodes.table.create(null, nodes.table_body.create(null, rows));
}

const MARKED =
  /`([^`\n]+)`|\*\*(\S(?:[^*\n]*\S)?)\*\*|(?<![\w_])__(\S(?:[^_\n]*\S)?)__(?![\w_])|\*(\S(?:[^*\n]*[^\s*])?)\*|(?<![\w_])_(\S(?:[^_\n]*[^\s_])?)_(?![\w_])|\[([^\]\n]+)\]\((https?:\/\/[^\s)]+)(?:\s+"([^"]*)")?\)|(https?:\/\/[^\s<>"]*[^\s<>".,;:!?)])/;

/** Without the signs that may close a heading. */
function headingText(text: string): string {
  let end = text.length;
  while (text[end - 1] === '#') end -= 1;
  return text.slice(0, end).trim();
}

function inline(text: string, around: readonly Mark[] = MarkSet.none): Node[] {
  if (text.length > LONGEST) return plain(text, around);
  const found: Node[] = [];
  let rest = text;
  for (let match = MARKED.exec(rest); match; match = MARKED.exec(rest)) {
    const [whole, code, strong, strongToo, em, emToo, label, href, title, address] = match;
    found.push(...plain(rest.slice(0, match.index), around));
    rest = rest.slice(match.index + whole.length);
    if (code !== undefined) found.push(...plain(code, marks.code.create().addToSet(around)));
    else if (label !== undefined) found.push(...inline(label, link(href ?? '', title).addToSet(around)));
    else if (address !== undefined) found.push(...plain(address, link(address).addToSet(around)));
    else {
      const [mark, inner] =
        (strong ?? strongToo) ? [marks.strong, strong ?? strongToo] : [marks.em, em ?? emToo];
      found.push(...inline(inner ?? '', mark.create().addToSet(around)));
    }
  }
  return [...found, ...plain(rest, around)];
}

function link(target: string, title?: string): Mark {
  return marks.link.create({ kind: 'web', target, subject: null, newWindow: null, title: title || null });
}

function plain(text: string, around: readonly Mark[]): Node[] {
  return text === '' ? [] : [schema.text(text, around)];
}
