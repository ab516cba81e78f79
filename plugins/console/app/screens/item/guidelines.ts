import { unescaped } from './plain-text.ts';

/** A part of a line, which may lead to a page. */
export interface GuidelinePart {
  readonly text: string;
  readonly address: string | undefined;
}

/** Lines that are paragraphs, or the items of a list. */
export interface GuidelineBlock {
  readonly isList: boolean;
  readonly lines: readonly (readonly GuidelinePart[])[];
}

const TOKEN = /<(\/?)([a-z][a-z0-9]*)([^a-z0-9<>][^<>]*)?>|[^<]+|</gi;
const BLOCK = /^(?:p|div|h[1-6]|ul|ol|li|table|tr|br)$/;
const MARKUP = /<(?:p|div|h[1-6]|ul|ol|li|table|tr|br)[\s/>]/i;
const ADDRESS = /\shref\s*=\s*["']((?:https?:|mailto:)[^"']*)["']/i;

/** Guidelines, which are text or may be HTML: their lines, lists and links. */
export function guidelineBlocks(guidelines: string): readonly GuidelineBlock[] {
  const blocks: { isList: boolean; lines: GuidelinePart[][] }[] = [];
  let line: GuidelinePart[] = [];
  let isItem = false;
  let address: string | undefined;
  const end = () => {
    if (line.some(({ text }) => text.trim() !== '')) {
      const last = blocks.at(-1);
      if (last?.isList === isItem) last.lines.push(line);
      else blocks.push({ isList: isItem, lines: [line] });
    }
    line = [];
  };
  // In markup, the end of a line is a space.
  const source = MARKUP.test(guidelines) ? guidelines.replaceAll('\n', ' ') : guidelines;
  for (const [token, close = '', name = '', attributes = ''] of source.matchAll(TOKEN)) {
    const tag = name.toLowerCase();
    if (tag === '') {
      const [first = '', ...others] = unescaped(token).split('\n');
      line.push({ text: first, address });
      for (const text of others) {
        end();
        line.push({ text, address });
      }
    } else if (tag === 'a') {
      const [, target] = ADDRESS.exec(attributes) ?? [];
      address = close === '' && target !== undefined ? unescaped(target) : undefined;
    } else if (BLOCK.test(tag)) {
      end();
      if (tag === 'li') isItem = close === '';
    }
  }
  end();
  return blocks;
}
