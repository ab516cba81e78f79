import type {
  ContentType,
  CountLimit,
  Field,
  FileTypes,
  IdReference,
  ImageLimits,
  ProjectModel,
  TextLengthLimit,
  ValueElement,
} from './model.ts';
import { normalValue } from './normal-value.ts';
import { countText } from './plain-values.ts';
import { CANONICAL_EMPTY_RICH_TEXT } from './rich-text/canonical.ts';
import { richTextReferences } from './rich-text/references.ts';
import type { StoredElements, StoredRichText, StoredUrlSlug, StoredValue } from './values.ts';

/**
 * The one rule for required elements and the limits of elements. A draft may break it; `validate` and the publish
 * plan report where it does, and publishing is refused. What the specification itself bounds is checked on write.
 */

export interface Violation {
  /** The element of the item; for one inside a component the rich text that holds the component. */
  readonly field: Field;
  /** By codenames, inside the item: `elements.body.components[0].elements.title`. */
  readonly path: string;
  readonly message: string;
}

/** What the rule needs to know of things outside the values. Of what is not there the rule says nothing. */
export interface RuleFacts {
  item(id: string): ItemFacts | undefined;
  file(asset: string): FileFacts | undefined;
}

export interface ItemFacts {
  readonly name: string;
  readonly type: ContentType;
}

export interface FileFacts {
  readonly name: string;
  /** Media type. */
  readonly type: string;
  readonly size: number;
  /** Null unless it is a picture of a known format. */
  readonly width: number | null;
  readonly height: number | null;
}

/** Ids of the items and assets whose facts the rule needs. */
export interface FactIds {
  readonly items: Set<string>;
  readonly assets: Set<string>;
}

/** One after the other, so that who has enough of them stops: components may have thousands. */
export function* findViolations(
  model: ProjectModel,
  type: ContentType,
  elements: StoredElements,
  facts: RuleFacts,
): Generator<Violation> {
  for (const field of type.fields) {
    const path = `elements.${field.codename}`;
    for (const found of violationsOf(model, field.element, elements[field.element.id], facts, path))
      yield { field, ...found };
  }
}

/** Adds what `findViolations` will ask of the facts; nothing for elements without limits that need them. */
export function collectFactIds(
  model: ProjectModel,
  type: ContentType,
  elements: StoredElements,
  into: FactIds,
): void {
  for (const { element } of type.fields) {
    const value = elements[element.id];
    if (!value) continue;
    if (element.type === 'modular_content' && allowedTypes(element))
      for (const id of value as readonly string[]) into.items.add(id);
    if (element.type === 'asset' && limitsFiles(fileRule(element)))
      for (const id of value as readonly string[]) into.assets.add(id);
    if (element.type !== 'rich_text') continue;
    const { html, components } = value as StoredRichText;
    const needsItems = allowedTypes(element) !== undefined;
    const needsFiles = limitsFiles(fileRule(element));
    if (needsItems || needsFiles) {
      const { linkedItems, images } = richTextReferences(html);
      if (needsItems) for (const { kind, id } of linkedItems) if (kind === 'item') into.items.add(id);
      if (needsFiles) for (const id of images) into.assets.add(id);
    }
    for (const component of components) {
      const inner = model.typeById.get(component.type);
      if (inner) collectFactIds(model, inner, component.elements, into);
    }
  }
}

type Found = Pick<Violation, 'path' | 'message'>;

function* violationsOf(
  model: ProjectModel,
  element: ValueElement,
  stored: StoredValue | undefined,
  facts: RuleFacts,
  path: string,
): Generator<Found> {
  const empty = { path, message: 'A value is required and there is none.' };
  if (element.type === 'rich_text') {
    // Its components are looked at one by one, so they need no normal form.
    const { html = '', components = [] } = (stored ?? {}) as Partial<StoredRichText>;
    const value = { html: html || CANONICAL_EMPTY_RICH_TEXT, components };
    if (element.is_required && isEmpty(value)) yield empty;
    yield* richTextViolations(model, element, value, facts, path);
    return;
  }
  const value = normalValue(model, element, stored);
  if (element.is_required && isEmpty(value)) yield empty;
  for (const [index, message] of simpleViolations(element, value, facts))
    yield { path: index === null ? path : `${path}[${index}]`, message };
}

/** Of the whole value, or of the member at an index. */
function simpleViolations(
  element: Exclude<ValueElement, RichTextElement>,
  value: StoredValue,
  facts: RuleFacts,
): [index: number | null, message: string][] {
  const whole = (message: string | undefined): [null, string][] =>
    message === undefined ? [] : [[null, message]];
  const members = (wrong: (id: string) => readonly string[]) =>
    (value as readonly string[]).flatMap((id, index) =>
      wrong(id).map((message): [number, string] => [index, message]),
    );
  switch (element.type) {
    case 'text':
      return whole(tooLong(element.maximum_text_length, (value ?? '') as string));
    case 'multiple_choice':
      if (element.mode !== 'single') return [];
      return whole(wrongCount({ value: 1, condition: 'at_most' }, value, 'options'));
    case 'taxonomy':
      return whole(wrongCount(element.term_count_limit, value, 'terms'));
    case 'asset': {
      const count = whole(wrongCount(element.asset_count_limit, value, 'assets'));
      const rule = fileRule(element);
      return limitsFiles(rule) ? [...count, ...members((id) => wrongFile(rule, facts.file(id)))] : count;
    }
    case 'modular_content': {
      const count = whole(wrongCount(element.item_count_limit, value, 'items'));
      const allowed = allowedTypes(element);
      return allowed ? [...count, ...members((id) => wrongItem(allowed, facts.item(id)))] : count;
    }
    case 'number':
    case 'date_time':
    case 'url_slug':
    case 'custom':
      return [];
  }
}

type RichTextElement = Extract<ValueElement, { type: 'rich_text' }>;

function* richTextViolations(
  model: ProjectModel,
  element: RichTextElement,
  { html, components }: StoredRichText,
  facts: RuleFacts,
  path: string,
): Generator<Found> {
  const found: (string | undefined)[] = [];
  const length = element.maximum_text_length;
  if (length) found.push(tooLong(length, shownText(html, length.applies_to)));
  const allowed = allowedTypes(element);
  const rule = fileRule(element);
  if (allowed || limitsFiles(rule)) {
    const { linkedItems, images } = richTextReferences(html);
    if (allowed)
      for (const { kind, id } of linkedItems)
        if (kind === 'item') found.push(...wrongItem(allowed, facts.item(id)));
    if (limitsFiles(rule)) for (const id of images) found.push(...wrongFile(rule, facts.file(id)));
  }
  for (const message of found) if (message !== undefined) yield { path, message };
  for (const [index, component] of components.entries()) {
    const type = model.typeById.get(component.type);
    if (!type) continue;
    const at = `${path}.components[${index}]`;
    if (allowed && !allowed.has(type.id))
      yield {
        path: at,
        message: `The component '${component.id}' is of the type '${type.name}', which is not allowed.`,
      };
    for (const { field, path: inner, message } of findViolations(model, type, component.elements, facts))
      yield {
        path: `${at}.${inner}`,
        message: `In the component '${component.id}', element '${field.element.name}': ${message}`,
      };
  }
}

function isEmpty(value: StoredValue): boolean {
  if (value === null || Array.isArray(value)) return value === null || value.length === 0;
  if (typeof value !== 'object') return value === '';
  return 'html' in value ? value.html === CANONICAL_EMPTY_RICH_TEXT : (value as StoredUrlSlug).value === '';
}

/** What a reader sees of canonical rich text. Blocks part words and count no characters. */
function shownText(html: string, unit: TextLengthLimit['applies_to']): string {
  return html
    .replace(/<[^<>]*>/g, unit === 'words' ? ' ' : '')
    .replaceAll('&nbsp;', ' ')
    .replace(/&(?:amp|lt|gt|quot);/g, '&');
}

function tooLong(limit: TextLengthLimit | null | undefined, text: string): string | undefined {
  if (!limit) return undefined;
  const count = countText(text, limit.applies_to);
  if (count <= limit.value) return undefined;
  return `There are ${count} ${limit.applies_to}, at most ${limit.value} are allowed.`;
}

function wrongCount(
  limit: CountLimit | null | undefined,
  value: StoredValue,
  what: string,
): string | undefined {
  const count = (value as readonly string[]).length;
  if (!limit || isWithin(limit, count)) return undefined;
  return `There are ${count} ${what}, ${conditionOf(limit)} expected.`;
}

function isWithin({ condition, value }: CountLimit, count: number): boolean {
  if (condition === 'at_most') return count <= value;
  return condition === 'at_least' ? count >= value : count === value;
}

function conditionOf({ condition, value }: CountLimit): string {
  return `${condition.replace('_', ' ')} ${value} ${value === 1 ? 'is' : 'are'}`;
}

/** Ids of the types that linked items and components may have; undefined where they may have any. */
function allowedTypes({
  allowed_content_types: allowed,
}: {
  readonly allowed_content_types?: readonly IdReference[];
}): ReadonlySet<string> | undefined {
  return allowed && allowed.length > 0 ? new Set(allowed.map(({ id }) => id)) : undefined;
}

function wrongItem(allowed: ReadonlySet<string>, item: ItemFacts | undefined): string[] {
  if (!item || allowed.has(item.type.id)) return [];
  return [`The item '${item.name}' is of the type '${item.type.name}', which is not allowed.`];
}

/** What an asset element says of its files, and rich text of its pictures. */
interface FileRule extends ImageLimits {
  readonly size: number | undefined;
  readonly types: FileTypes | undefined;
}

function fileRule(element: Extract<ValueElement, { type: 'asset' | 'rich_text' }>): FileRule {
  const { image_width_limit, image_height_limit } = element;
  return {
    ...(image_width_limit && { image_width_limit }),
    ...(image_height_limit && { image_height_limit }),
    size: element.type === 'asset' ? element.maximum_file_size : element.maximum_image_size,
    types: element.type === 'asset' ? element.allowed_file_types : element.allowed_image_types,
  };
}

function limitsFiles({ size, types, image_width_limit, image_height_limit }: FileRule): boolean {
  return (
    size !== undefined ||
    types === 'adjustable' ||
    image_width_limit !== undefined ||
    image_height_limit !== undefined
  );
}

/** Media types of pictures that can be transformed (spec 4.2). */
const ADJUSTABLE: ReadonlySet<string> = new Set([
  'image/jpeg',
  'image/jpg',
  'image/png',
  'image/gif',
  'image/webp',
]);

function wrongFile(rule: FileRule, file: FileFacts | undefined): string[] {
  if (!file) return [];
  const found: string[] = [];
  if (rule.size !== undefined && file.size > rule.size)
    found.push(`The file '${file.name}' has ${file.size} bytes, at most ${rule.size} are allowed.`);
  if (rule.types === 'adjustable' && !ADJUSTABLE.has(mediaTypeOf(file)))
    found.push(
      `The file '${file.name}' is of the type '${file.type}'; only JPEG, PNG, GIF and WebP pictures are allowed.`,
    );
  for (const [side, limit, pixels] of [
    ['wide', rule.image_width_limit, file.width],
    ['high', rule.image_height_limit, file.height],
  ] as const)
    if (limit && pixels !== null && !isWithin(limit, pixels))
      found.push(`The picture '${file.name}' is ${pixels} pixels ${side}, ${conditionOf(limit)} expected.`);
  return found;
}

function mediaTypeOf({ type }: FileFacts): string {
  return (type.split(';')[0] ?? '').trim().toLowerCase();
}
