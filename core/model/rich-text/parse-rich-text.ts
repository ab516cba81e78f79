import { Parser } from 'htmlparser2';
import { isTurnLong, nextTurn } from '../../turns/turn.ts';
import type { Reference } from '../inputs.ts';
import { shorten } from '../reference.ts';
import {
  attributesText,
  CANONICAL_EMPTY_RICH_TEXT,
  escapeAttribute,
  escapeText,
  openTag,
} from './canonical.ts';
import { isAllowedAttribute, isAllowedTag, isVoid, mayHold, mayHoldText, ROOT, toHref } from './grammar.ts';

/** A position in the text where the id of an item or asset is inserted. */
export interface RichTextPlaceholder {
  readonly kind: 'item' | 'link' | 'asset';
  readonly to: Reference;
}

export interface ParsedRichText {
  /** Canonical text with placeholders; `writeRichText` fills them. */
  readonly parts: readonly (string | RichTextPlaceholder)[];
  readonly placeholders: readonly RichTextPlaceholder[];
  /** Ids of the components, in the order of the text. */
  readonly components: readonly string[];
  readonly issues: readonly string[];
}

/** Characters that are parsed at once: 3 ms. */
const PIECE = 32_768;

const NESTING_LIMIT = 100;
const ISSUE_LIMIT = 20;
const EMPTY: ParsedRichText = {
  parts: [CANONICAL_EMPTY_RICH_TEXT],
  placeholders: [],
  components: [],
  issues: [],
};

/**
 * Reads a caller's management HTML and reports what breaks the rules. Reading ends where tags are nested too deep or there
 * are enough issues, so its time is linear in the length of the text: the HTML parser scans all open tags for each end
 * tag.
 */
export function parseRichText(html: string): ParsedRichText {
  const pieces = parseInPieces(html);
  for (;;) {
    const { done, value } = pieces.next();
    if (done) return value;
  }
}

/** The same; yields to other requests. */
export async function parseLongRichText(html: string): Promise<ParsedRichText> {
  const pieces = parseInPieces(html);
  for (;;) {
    const { done, value } = pieces.next();
    if (done) return value;
    if (isTurnLong()) await nextTurn();
  }
}

function* parseInPieces(html: string): Generator<undefined, ParsedRichText> {
  const trimmed = html.trim();
  if (isEmpty(trimmed)) return EMPTY;
  let isStopped = false;
  const reader = new Reader(() => {
    isStopped = true;
    parser.pause();
  });
  const parser = new Parser(reader, {
    decodeEntities: true,
    recognizeSelfClosing: true,
  });
  for (let at = 0, end = 0; at < trimmed.length && !isStopped; at = end) {
    if (at > 0) yield;
    end = at + PIECE;
    if (trimmed[end - 1] === '\r' && trimmed[end] === '\n') end += 1;
    parser.write(trimmed.slice(at, end).replace(/\r\n?/g, '\n'));
  }
  parser.end();
  return reader.result();
}

/** @param idOf the id that a placeholder's reference was resolved to */
export function writeRichText(
  parsed: ParsedRichText,
  idOf: (placeholder: RichTextPlaceholder) => string,
): string {
  return parsed.parts.map((part) => (typeof part === 'string' ? part : idOf(part))).join('');
}

/** Without the white space around the text, which may have been written as entities. */
function withoutEnds(parts: ParsedRichText['parts']): ParsedRichText['parts'] {
  return parts.map((part, at) => {
    if (typeof part !== 'string') return part;
    const text = at === 0 ? part.trimStart() : part;
    return at === parts.length - 1 ? text.trimEnd() : text;
  });
}

function isEmpty(trimmed: string): boolean {
  return trimmed === '' || /^<p>(?:<br *\/?>)?<\/p>$/.test(trimmed);
}

interface OpenTag {
  /** Undefined for a refused tag. */
  readonly name: string | undefined;
  /** The tag itself, or its nearest parent that was not refused: the parent of what is read next. */
  readonly parent: string;
  readonly isInLink: boolean;
  /** Not in the text: the body that a row implies. It ends with the table. */
  readonly isImplied: boolean;
}

/** Handles events of the parser and writes canonical parts. */
class Reader {
  readonly #parts: (string | RichTextPlaceholder)[] = [];
  readonly #placeholders: RichTextPlaceholder[] = [];
  readonly #components: string[] = [];
  readonly #issues = new Set<string>();
  /** Includes refused tags: the parser reports their ends as well. */
  readonly #open: OpenTag[] = [];
  readonly #stop: () => void;
  /** The asset of the open figure. */
  #figure: RichTextPlaceholder | undefined;
  #imageWritten = false;

  /** @param stop ends the reading when there are enough issues */
  constructor(stop: () => void) {
    this.#stop = stop;
  }

  result(): ParsedRichText {
    while (this.#open.length > 0) this.#close();
    const parts = withoutEnds(this.#parts);
    const blank = parts.every((part) => typeof part === 'string' && isEmpty(part));
    return {
      parts: blank ? EMPTY.parts : parts,
      placeholders: this.#placeholders,
      components: this.#components,
      issues: [...this.#issues],
    };
  }

  onopentag(name: string, attributes: Record<string, string>): void {
    if (name === 'tr' && this.#parent() === 'table') this.#enter('tbody', {}, true);
    const parent = this.#parent();
    if (this.#open.length >= NESTING_LIMIT) {
      this.#refuse('The tags are nested too deep.');
      this.#stop();
      return;
    }
    if (!isAllowedTag(name)) {
      this.#refuse(`The tag <${shorten(name)}> is not allowed.`);
      return;
    }
    if (!mayHold(parent, name) || (name === 'a' && this.#open.at(-1)?.isInLink)) {
      this.#refuse(`<${name}> is not allowed ${positionIn(parent)}.`);
      return;
    }
    for (const attribute of Object.keys(attributes)) {
      if (!isAllowedAttribute(name, attribute)) {
        this.#report(`The attribute '${shorten(attribute)}' is not allowed on <${name}>.`);
      }
    }
    this.#enter(name, attributes);
  }

  onclosetag(): void {
    while (this.#open.at(-1)?.isImplied) this.#close();
    this.#close();
  }

  ontext(text: string): void {
    const parent = this.#parent();
    if (mayHoldText(parent)) {
      this.#write(escapeText(text));
      return;
    }
    if (text.trim() !== '') this.#report(`Text is not allowed ${positionIn(parent)}.`);
    else if (parent !== 'figure' && parent !== 'object') this.#write(text);
  }

  onprocessinginstruction(name: string): void {
    this.#report(`The instruction <${shorten(name)}> is not allowed.`);
  }

  #enter(name: string, attributes: Record<string, string>, isImplied = false): void {
    const isInLink = name === 'a' || (this.#open.at(-1)?.isInLink ?? false);
    this.#open.push({ name, parent: name, isInLink, isImplied });
    switch (name) {
      case 'br':
        this.#write('<br/>');
        break;
      case 'a':
        this.#link(attributes);
        break;
      case 'figure':
        this.#openFigure(attributes);
        break;
      case 'img':
        this.#image(attributes);
        break;
      case 'object':
        this.#object(attributes);
        break;
      default:
        this.#write(`<${name}>`);
        break;
    }
  }

  #link(attributes: Record<string, string>): void {
    const rest = [
      ['data-new-window', attributes['data-new-window'] === undefined ? undefined : 'true'],
      ['title', attributes['title'] || undefined],
    ] as const;
    const item = referenceOf(attributes, 'data-item-id', 'data-item-external-id', 'data-item-codename');
    if (item) {
      this.#placeholder('a', 'data-item-id', { kind: 'link', to: item }, [['href', ''], ...rest]);
      return;
    }
    const asset = referenceOf(attributes, 'data-asset-id', 'data-asset-external-id');
    if (asset) {
      this.#placeholder('a', 'data-asset-id', { kind: 'asset', to: asset }, [['href', ''], ...rest]);
      return;
    }
    const address = attributes['data-email-address'];
    if (address !== undefined) {
      const subject = attributes['data-email-subject'] || undefined;
      this.#write(
        openTag('a', [
          ['data-email-address', address],
          ['data-email-subject', subject],
          ['href', ''],
          ...rest,
        ]),
      );
      return;
    }
    const href = attributes['href'];
    if (!href) {
      this.#report('A link needs one of href, data-item-id, data-asset-id and data-email-address.');
    }
    this.#write(openTag('a', [['href', toHref(href ?? '')], ...rest]));
  }

  #openFigure(attributes: Record<string, string>): void {
    const to =
      referenceOf(attributes, 'data-asset-id', 'data-asset-external-id') ??
      referenceOf(attributes, 'data-image-id', '');
    if (!to) {
      this.#report('A figure needs data-asset-id or data-asset-external-id.');
      this.#write('<figure>');
      return;
    }
    this.#figure = { kind: 'asset', to };
    this.#imageWritten = false;
    this.#placeholder('figure', 'data-asset-id', this.#figure, []);
  }

  #image(attributes: Record<string, string>): void {
    if (!this.#figure || this.#imageWritten) return;
    this.#imageWritten = true;
    const alt = attributes['alt'] || undefined;
    this.#write('<img src="#" data-asset-id="');
    this.#parts.push(this.#figure);
    this.#write(`"${attributesText([['alt', alt]])}>`);
  }

  #object(attributes: Record<string, string>): void {
    const kind = attributes['data-type'];
    if (kind !== 'item' && kind !== 'component') {
      this.#report(`An object needs data-type 'item' or 'component'.`);
      this.#write('<object>');
      return;
    }
    const to = referenceOf(attributes, 'data-id', 'data-external-id', 'data-codename');
    if (kind === 'component') {
      if (to?.id === undefined) this.#report('The object of a component needs data-id.');
      else this.#components.push(to.id);
      this.#write(`<object data-type="component" data-id="${escapeAttribute(to?.id ?? '')}">`);
      return;
    }
    if (!to) {
      this.#report('The object of an item needs data-id or data-external-id.');
      this.#write('<object>');
      return;
    }
    this.#write('<object data-type="item" data-id="');
    this.#placeholders.push({ kind: 'item', to });
    this.#parts.push(this.#placeholders.at(-1)!);
    this.#write('">');
  }

  /** Writes `<tag attribute="…id…" rest>`. */
  #placeholder(
    tag: string,
    attribute: string,
    placeholder: RichTextPlaceholder,
    rest: readonly (readonly [string, string | undefined])[],
  ): void {
    this.#write(`<${tag} ${attribute}="`);
    this.#placeholders.push(placeholder);
    this.#parts.push(placeholder);
    this.#write(`"${attributesText(rest)}>`);
  }

  /** A text with an issue is not stored; the rest is only read for more issues. */
  #refuse(issue: string): void {
    this.#report(issue);
    const isInLink = this.#open.at(-1)?.isInLink ?? false;
    this.#open.push({ name: undefined, parent: this.#parent(), isInLink, isImplied: false });
  }

  #close(): void {
    const name = this.#open.pop()?.name;
    if (name === undefined || isVoid(name)) return;
    if (name === 'figure') {
      if (!this.#imageWritten && this.#figure) this.#image({});
      this.#figure = undefined;
    }
    this.#write(`</${name}>`);
  }

  /** The nearest tag that was not refused. */
  #parent(): string {
    return this.#open.at(-1)?.parent ?? ROOT;
  }

  #write(given: string): void {
    // Of `&#13;`: a carriage return would be read otherwise when it is sent back.
    const text = given.replaceAll('\r', '\n');
    const last = this.#parts.length - 1;
    const before = this.#parts[last];
    if (typeof before === 'string') this.#parts[last] = before + text;
    else this.#parts.push(text);
  }

  #report(issue: string): void {
    if (this.#issues.size < ISSUE_LIMIT) this.#issues.add(issue);
    else this.#stop();
  }
}

function referenceOf(
  attributes: Record<string, string>,
  id: string,
  externalId: string,
  codename?: string,
): Reference | undefined {
  const byId = attributes[id];
  if (byId) return { id: byId.toLowerCase() };
  const byExternalId = attributes[externalId];
  if (byExternalId) return { external_id: byExternalId };
  const byCodename = codename === undefined ? undefined : attributes[codename];
  return byCodename ? { codename: byCodename } : undefined;
}

function positionIn(parent: string): string {
  return parent === ROOT ? 'outside of a block' : `inside <${parent}>`;
}
