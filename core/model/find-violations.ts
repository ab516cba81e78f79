import { eachInTurns } from '../turns/each-in-turns.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';
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
 * Required elements and limits of elements. A draft may break them: `validate` and the publish plan report where, and
 * publishing is refused. Limits of the specification itself are checked on write.
 */

export interface Violation {
  /** The element of the item; for one inside a component the rich text that holds the component. */
  readonly field: Field;
  /** By codenames, inside the item: `elements.body.components[0].elements.title`. */
  readonly path: string;
  readonly message: string;
}

/** Facts about items and assets that the values name. Those that are missing break no limit. */
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
  /** Null unless it is an image of a known format. */
  readonly width: number | null;
  readonly height: number | null;
}

/** Ids of the items and assets whose facts `findViolations` needs. */
export interface FactIds {
  readonly items: Set<string>;
  readonly assets: Set<string>;
}

/** @param maximum number of violations that are returned: components may have thousands */
export async function findViolations(
  model: ProjectModel,
  type: ContentType,
  elements: StoredElements,
  facts: RuleFacts,
  maximum = Number.POSITIVE_INFINITY,
): Promise<Violation[]> {
  const found: Violation[] = [];
  if (isTurnLong()) await nextTurn();
  for (const field of type.fields) {
    const value = elements[field.element.id];
    const path = `elements.${field.codename}`;
    const violations = violationsOf(model, field.element, value, facts, path, maximum - found.length);
    for (const violation of violations instanceof Promise ? await violations : violations) {
      if (found.length === maximum) return found;
      found.push({ field, ...violation });
    }
  }
  return found;
}

/** Adds the ids whose facts `findViolations` reads: those in elements with limits on items or files. */
export async function collectFactIds(
  model: ProjectModel,
  type: ContentType,
  elements: StoredElements,
  into: FactIds,
): Promise<void> {
  for (const { element } of type.fields) {
    const value = elements[element.id];
    if (!value) continue;
    if (element.type === 'modular_content' && allowedTypes(element))
      await eachInTurns(value as readonly string[], (id) => into.items.add(id));
    if (element.type === 'asset' && limitsFiles(fileRule(element)))
      await eachInTurns(value as readonly string[], (id) => into.assets.add(id));
    if (element.type !== 'rich_text') continue;
    if (isTurnLong()) await nextTurn();
    const { html, components } = value as StoredRichText;
    const needsItems = allowedTypes(element) !== undefined;
    const needsFiles = limitsFiles(fileRule(element));
    if (needsItems || needsFiles) {
      const { linkedItems, images } = await richTextReferences(html);
      if (needsItems) for (const { kind, id } of linkedItems) if (kind === 'item') into.items.add(id);
      if (needsFiles) for (const id of images) into.assets.add(id);
    }
    for (const component of components) {
      const inner = model.typeById.get(component.type);
      if (inner) await collectFactIds(model, inner, component.elements, into);
    }
  }
}

type Found = Pick<Violation, 'path' | 'message'>;

/** A promise only where many members or tags may have to be read. */
type Violations = readonly Found[] | Promise<readonly Found[]>;

function violationsOf(
  model: ProjectModel,
  element: ValueElement,
  stored: StoredValue | undefined,
  facts: RuleFacts,
  path: string,
  maximum: number,
): Violations {
  if (element.type === 'rich_text') {
    // Its components are checked one by one, so they need no normal form.
    const { html = '', components = [] } = (stored ?? {}) as Partial<StoredRichText>;
    const value = { html: html || CANONICAL_EMPTY_RICH_TEXT, components };
    return richTextViolations(model, element, value, facts, path, maximum);
  }
  const value = normalValue(model, element, stored);
  const found = simpleViolations(element, value, facts, path);
  if (!element.is_required || !isEmpty(value)) return found;
  return found instanceof Promise
    ? found.then((more) => [missing(path), ...more])
    : [missing(path), ...found];
}

function missing(path: string): Found {
  return { path, message: 'A value is required and there is none.' };
}

/** Of the whole value, or of the member at an index. */
function simpleViolations(
  element: Exclude<ValueElement, RichTextElement>,
  value: StoredValue,
  facts: RuleFacts,
  path: string,
): Violations {
  const whole = (message: string | undefined): Found[] => (message === undefined ? [] : [{ path, message }]);
  const counted = (limit: CountLimit | null | undefined, what: string) =>
    whole(wrongCount(limit, (value as readonly string[]).length, what));
  const members = async (found: Found[], wrong: (id: string) => readonly string[]) => {
    await eachInTurns(value as readonly string[], (id, index) => {
      for (const message of wrong(id)) found.push({ path: `${path}[${index}]`, message });
    });
    return found;
  };
  switch (element.type) {
    case 'text':
      return whole(tooLong(element.maximum_text_length, (value ?? '') as string));
    case 'multiple_choice':
      if (element.mode !== 'single') return [];
      return counted({ value: 1, condition: 'at_most' }, 'options');
    case 'taxonomy':
      return counted(element.term_count_limit, 'terms');
    case 'asset': {
      const count = counted(element.asset_count_limit, 'assets');
      const rule = fileRule(element);
      return limitsFiles(rule) ? members(count, (id) => wrongFile(rule, facts.file(id))) : count;
    }
    case 'modular_content': {
      const count = counted(element.item_count_limit, 'items');
      const allowed = allowedTypes(element);
      return allowed ? members(count, (id) => wrongItem(allowed, facts.item(id))) : count;
    }
    case 'number':
    case 'date_time':
    case 'url_slug':
    case 'custom':
      return [];
  }
}

type RichTextElement = Extract<ValueElement, { type: 'rich_text' }>;

async function richTextViolations(
  model: ProjectModel,
  element: RichTextElement,
  { html, components }: StoredRichText,
  facts: RuleFacts,
  path: string,
  maximum: number,
): Promise<Found[]> {
  const messages: (string | undefined)[] = [];
  const length = element.maximum_text_length;
  if (length) messages.push(tooLong(length, textOf(html, length.applies_to)));
  const allowed = allowedTypes(element);
  const rule = fileRule(element);
  if (allowed || limitsFiles(rule)) {
    const { linkedItems, images } = await richTextReferences(html);
    if (allowed)
      for (const { kind, id } of linkedItems)
        if (kind === 'item') messages.push(...wrongItem(allowed, facts.item(id)));
    if (limitsFiles(rule)) for (const id of images) messages.push(...wrongFile(rule, facts.file(id)));
  }
  const found = messages.flatMap((message) => (message === undefined ? [] : [{ path, message }]));
  if (element.is_required && isEmpty({ html, components })) found.unshift(missing(path));
  for (const [index, component] of components.entries()) {
    if (found.length >= maximum) break;
    const type = model.typeById.get(component.type);
    if (!type) continue;
    const at = `${path}.components[${index}]`;
    if (allowed && !allowed.has(type.id))
      found.push({
        path: at,
        message: `The component '${component.id}' is of the type '${type.name}', which is not allowed.`,
      });
    const rest = maximum - found.length;
    for (const violation of await findViolations(model, type, component.elements, facts, rest))
      found.push({
        path: `${at}.${violation.path}`,
        message: `In the component '${component.id}', element '${violation.field.element.name}': ${violation.message}`,
      });
  }
  return found;
}

export function isEmpty(value: StoredValue): boolean {
  if (value === null || Array.isArray(value)) return value === null || value.length === 0;
  if (typeof value !== 'object') return value === '';
  return 'html' in value ? value.html === CANONICAL_EMPTY_RICH_TEXT : (value as StoredUrlSlug).value === '';
}

/** The text of canonical rich text. Blocks separate words and do not count as characters. */
function textOf(html: string, unit: TextLengthLimit['applies_to']): string {
  return html
    .replace(/<[^<>]*>/g, unit === 'words' ? ' ' : '')
    .replaceAll('&nbsp;', ' ')
    .replace(/&(?:amp|lt|gt|quot);/g, '&');
}

function tooLong(limit: TextLengthLimit | null | undefined, text: string): string | undefined {
  if (!limit) return undefined;
  const { applies_to: unit, value } = limit;
  return wrongCount({ value, condition: 'at_most' }, countText(text, unit), unit);
}

/** @param what plural */
function wrongCount(limit: CountLimit | null | undefined, count: number, what: string): string | undefined {
  if (!limit || isWithin(limit, count)) return undefined;
  return count === 1
    ? `There is 1 ${what.slice(0, -1)}, ${conditionOf(limit)} expected.`
    : `There are ${count} ${what}, ${conditionOf(limit)} expected.`;
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

/** Limits of an asset element on its files, and of rich text on its images. */
interface FileRule extends ImageLimits {
  readonly size: number | undefined;
  readonly types: FileTypes | undefined;
}

function fileRule(element: Extract<ValueElement, { type: 'asset' | 'rich_text' }>): FileRule {
  const { image_width_limit, image_height_limit } = element;
  return {
    size: element.type === 'asset' ? element.maximum_file_size : element.maximum_image_size,
    types: element.type === 'asset' ? element.allowed_file_types : element.allowed_image_types,
    ...(image_width_limit && { image_width_limit }),
    ...(image_height_limit && { image_height_limit }),
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

/** Media types of images that can be transformed (spec 4.2). */
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
      `The file '${file.name}' is of the type '${file.type}'; only JPEG, PNG, GIF and WebP images are allowed.`,
    );
  for (const [side, limit, pixels] of [
    ['wide', rule.image_width_limit, file.width],
    ['high', rule.image_height_limit, file.height],
  ] as const)
    if (limit && pixels !== null && !isWithin(limit, pixels))
      found.push(`The image '${file.name}' is ${pixels} pixels ${side}, ${conditionOf(limit)} expected.`);
  return found;
}

function mediaTypeOf({ type }: FileFacts): string {
  return (type.split(';')[0] ?? '').trim().toLowerCase();
}
