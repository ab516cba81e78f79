/** Rich text made from the grammar of the service, in the form in which it is stored. */
import { escapeText } from '../../../core/model/rich-text/canonical.ts';
import { parseRichText, writeRichText } from '../../../core/model/rich-text/parse-rich-text.ts';
import type { Random } from './random.ts';
import { inlineText } from './texts.ts';

/** `odd`: ragged tables, empty marks and tags, white space between blocks, text beside paragraphs in lists and cells. */
export type RichTextStyle = 'tidy' | 'odd';

const ID = '22222222-2222-4222-8222-222222222222';
const STYLES = ['strong', 'em', 'sup', 'sub', 'code'];

/** A text that the service stores as it is. */
export function randomRichText(random: Random, style: RichTextStyle): string {
  const made = new Maker(random, style === 'odd').document();
  const parsed = parseRichText(made);
  if (parsed.issues.length > 0) throw new Error(`${parsed.issues.join(' ')}\n${made}`);
  return writeRichText(parsed, ({ to }) => to.id ?? ID);
}

class Maker {
  readonly #random: Random;
  readonly #isOdd: boolean;

  constructor(random: Random, isOdd: boolean) {
    this.#random = random;
    this.#isOdd = isOdd;
  }

  document(): string {
    return this.#some(1, this.#isOdd ? 4 : 6, () => this.#block(0));
  }

  #block(level: number): string {
    const random = this.#random;
    const kind = random.int(0, level > 1 ? 6 : 12);
    if (kind <= 4) return this.#tag('p', this.#inline(0, false));
    if (kind <= 6) return this.#tag(`h${random.int(1, 4)}`, this.#inline(0, false));
    if (kind <= 8) return this.#list(level);
    if (kind === 9)
      return this.#tag(
        'table',
        this.#some(1, this.#isOdd ? 2 : 1, () => this.#body(level)),
      );
    if (kind === 10) return this.#figure();
    return this.#object();
  }

  #list(level: number): string {
    return this.#tag(
      this.#random.pick(['ol', 'ul']),
      this.#some(this.#isOdd ? 0 : 1, 4, () => this.#tag('li', this.#item(level))),
    );
  }

  #item(level: number): string {
    if (!this.#isOdd)
      return this.#inline(0, false) + (level < 2 && this.#random.chance(0.2) ? this.#list(level + 1) : '');
    return this.#some(0, 3, () => {
      const kind = this.#random.int(0, 3);
      if (kind <= 1) return this.#inline(0, false);
      return kind === 2 || level > 1 ? this.#tag('p', this.#inline(0, false)) : this.#list(level + 1);
    });
  }

  #body(level: number): string {
    const width = this.#random.int(1, 3);
    const row = () =>
      this.#tag(
        'tr',
        this.#some(this.#isOdd ? 0 : width, width, () => this.#tag('td', this.#cell(level))),
      );
    return this.#tag('tbody', this.#some(this.#isOdd ? 0 : 1, 3, row));
  }

  #cell(level: number): string {
    if (!this.#isOdd) return this.#inline(0, false);
    return this.#some(0, 2, () => {
      const kind = this.#random.int(0, 5);
      if (kind <= 2) return this.#inline(0, false);
      if (kind === 3) return this.#figure();
      if (kind === 4) return this.#object();
      return level > 1 ? this.#tag('h2', this.#inline(0, false)) : this.#list(level + 1);
    });
  }

  #figure(): string {
    const alt = this.#random.pick(['', ' alt="A &quot;view&quot;"', ' alt="&lt;b&gt;"']);
    const id = this.#random.guid();
    return `<figure data-asset-id="${id}"><img src="#" data-asset-id="${id}"${alt}></figure>`;
  }

  #object(): string {
    return `<object data-type="${this.#random.pick(['item', 'component'])}" data-id="${this.#random.guid()}"></object>`;
  }

  #inline(level: number, isInLink: boolean): string {
    const random = this.#random;
    return random
      .times(this.#isOdd ? 0 : 1, 3 - Math.min(level, 2), () => {
        const kind = random.int(0, level > 2 ? 3 : 9);
        if (kind === 0) return '<br/>';
        if (kind <= 3)
          return (
            escapeText(inlineText(random)) + (this.#isOdd ? random.pick(['', ' ', '\n', '&nbsp;']) : ' ')
          );
        if (kind === 4 && !isInLink) return this.#link(level);
        if (!this.#isOdd && kind < 8) return escapeText(inlineText(random));
        return this.#tag(random.pick(STYLES), this.#inline(level + 1, isInLink));
      })
      .join('');
  }

  #link(level: number): string {
    const id = this.#random.guid();
    const to = this.#random.pick([
      'href="https://example.org/?a=1&amp;b=2"',
      'href="/a#b"',
      `data-item-id="${id}"`,
      `data-asset-id="${id}"`,
      'data-email-address="a@example.org"',
      'data-email-address="a@example.org" data-email-subject="Hi &amp; bye"',
    ]);
    const more = this.#random.pick(['', ' data-new-window="true"', ' title="A &lt;title&gt;"']);
    return `<a ${to}${more}>${this.#inline(level + 1, true)}</a>`;
  }

  #tag(name: string, content: string): string {
    return `<${name}>${content}</${name}>`;
  }

  #some(least: number, most: number, make: () => string): string {
    const space = () => (this.#isOdd ? this.#random.pick(['', '', '\n', '  ']) : '');
    return this.#random.times(least, most, () => make() + space()).join('');
  }
}
