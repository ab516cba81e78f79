import { unescapeText } from '../rich-text/html-text.ts';
import type { ContentModel } from '../screens/item/form-groups.ts';
import { elementsOf } from '../screens/item/form-groups.ts';
import type { ManagedElement, Reference, Term, ValueDefinition } from '../screens/item/managed.ts';

/**
 * Texts that are compared, one string for each token, so that they are compared by their identity: a word, white space or
 * sign, or the start of a line. A word ends with its marks, if it has some.
 */
export type Token = string;

const LINE = '\u0002';
const MARKS = '\u0001';
const WORDS = /[\p{L}\p{N}\p{M}]+|\s+|[^\p{L}\p{N}\p{M}\s]/gu;
const TAG = /<(\/?)([a-z][a-z0-9]*)((?: [a-z-]+="[^"]*")*)\/?>|[^<]+/g;

/** How lines and references are called. */
export interface Naming {
  readonly model: ContentModel;
  /** Names of items and assets by id. */
  readonly names: ReadonlyMap<string, string>;
  readonly words: {
    readonly line: Readonly<Record<string, string>>;
    readonly component: (type: string) => string;
    readonly item: (name: string) => string;
    readonly picture: (name: string) => string;
    readonly linksTo: (name: string) => string;
  };
}

export interface ReadToken {
  /** Label of the line that begins, empty for a paragraph; undefined: a word. */
  readonly line: string | undefined;
  readonly text: string;
  readonly marks: readonly string[];
}

export function readToken(token: Token): ReadToken {
  if (token.startsWith(LINE)) return { line: token.slice(1), text: '', marks: [] };
  const at = token.indexOf(MARKS);
  if (at < 0) return { line: undefined, text: token, marks: [] };
  return { line: undefined, text: token.slice(0, at), marks: token.slice(at + 1).split(' ') };
}

export const isLine = (token: Token): boolean => token.startsWith(LINE);

/** The value of an element as tokens. */
export function tokensOf(
  naming: Naming,
  definition: ValueDefinition,
  value: ManagedElement | undefined,
): Token[] {
  const tokens: Token[] = [];
  if (value) addValue(naming, definition, value, tokens);
  return tokens;
}

function addValue(naming: Naming, definition: ValueDefinition, given: ManagedElement, into: Token[]): void {
  const { value } = given;
  if (value === null || value === '') return;
  if (Array.isArray(value)) {
    for (const { id } of value as readonly Reference[]) into.push(LINE, nameOf(naming, definition, id));
    return;
  }
  if (definition.type === 'rich_text') addRichText(naming, String(value), given, into);
  else addText(String(value), '', into);
}

function nameOf({ model, names }: Naming, definition: ValueDefinition, id: string): string {
  if (definition.type === 'multiple_choice')
    return definition.options.find((option) => option.id === id)?.name ?? id;
  if (definition.type === 'taxonomy')
    return termName(model.taxonomies.get(definition.taxonomy_group.id)?.terms ?? [], id) ?? id;
  return names.get(id) ?? id;
}

function termName(terms: readonly Term[], id: string): string | undefined {
  for (const term of terms) {
    const name = term.id === id ? term.name : termName(term.terms, id);
    if (name !== undefined) return name;
  }
  return undefined;
}

function addText(text: string, marks: string, into: Token[]): void {
  const end = marks === '' ? '' : MARKS + marks;
  for (const [word] of text.matchAll(WORDS)) {
    if (word.includes('\n') && word.trim() === '') into.push(LINE);
    else into.push(word + end);
  }
}

const LINES = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'li', 'td']);
const STYLES = new Set(['strong', 'em', 'sup', 'sub', 'code', 'a']);

function addRichText(naming: Naming, html: string, given: ManagedElement, into: Token[]): void {
  const marks: string[] = [];
  let target: string | undefined;
  for (const [whole, closes = '', tag, attributes = ''] of html.matchAll(TAG)) {
    if (tag === undefined) {
      addText(unescapeText(whole), marks.join(' '), into);
      continue;
    }
    const isOpen = closes === '';
    if (LINES.has(tag) && isOpen) into.push(LINE + (naming.words.line[tag] ?? ''));
    else if (tag === 'br' && isOpen) into.push(LINE);
    else if (STYLES.has(tag)) {
      if (isOpen) marks.push(tag);
      else marks.splice(marks.lastIndexOf(tag), 1);
      if (tag === 'a') {
        if (!isOpen && target !== undefined) into.push(` ${naming.words.linksTo(target)}`);
        target = isOpen ? linkTarget(naming, attributes) : undefined;
      }
    } else if (tag === 'img')
      into.push(
        LINE + naming.words.picture(naming.names.get(attribute(attributes, 'data-asset-id') ?? '') ?? ''),
        attribute(attributes, 'alt') ?? '',
      );
    else if (tag === 'object' && isOpen) addObject(naming, attributes, given, into);
  }
}

function addObject(
  naming: Naming,
  attributes: string,
  { components = [] }: ManagedElement,
  into: Token[],
): void {
  const id = attribute(attributes, 'data-id') ?? '';
  const component = components.find((one) => one.id === id);
  if (!component) {
    into.push(LINE + naming.words.item(naming.names.get(id) ?? id));
    return;
  }
  const type = naming.model.types.get(component.type.id);
  into.push(LINE + naming.words.component(type?.name ?? ''));
  if (!type) return;
  const values = new Map(component.elements.map((one) => [one.element.id, one]));
  for (const definition of elementsOf(naming.model, type)) {
    const inner = tokensOf(naming, definition, values.get(definition.id));
    if (inner.length > 0) into.push(`${LINE}${definition.name}:`);
    for (const token of inner) into.push(token);
  }
}

function linkTarget({ names }: Naming, attributes: string): string {
  const id = attribute(attributes, 'data-item-id') ?? attribute(attributes, 'data-asset-id');
  if (id !== undefined) return names.get(id) ?? id;
  return attribute(attributes, 'href') ?? '';
}

function attribute(attributes: string, name: string): string | undefined {
  const found = new RegExp(` ${name}="([^"]*)"`).exec(attributes)?.[1];
  return found === undefined ? undefined : unescapeText(found);
}
