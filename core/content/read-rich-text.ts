import { isId } from '../model/external-id.ts';
import type { ComponentInput, ElementInput } from '../model/inputs.ts';
import type { ContentType, ValueElement } from '../model/model.ts';
import { readText, TEXT_LIMIT, ValueError } from '../model/plain-values.ts';
import { checkForm, describe, findReferred, formOf, REFERENCE_FORMS } from '../model/reference.ts';
import {
  parseLongRichText,
  type RichTextPlaceholder,
  writeRichText,
} from '../model/rich-text/parse-rich-text.ts';
import { toManagement } from '../model/rich-text/to-management.ts';
import type { StoredComponent, StoredElements, StoredRichText } from '../model/values.ts';
import { eachInTurns } from '../turns/each-in-turns.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';
import type { Referred } from './referenced.ts';
import type { ReadContext } from './value-checks.ts';

type RichTextElement = Extract<ValueElement, { type: 'rich_text' }>;

/** The stored form escapes and completes the text, so it may be longer: `&` becomes `&amp;`. */
const STORED_LIMIT = 8 * TEXT_LIMIT;

/** Spec section 8. */
const COMPONENT_LEVELS = 6;

/** Reads the elements of a component. */
export type ReadInner = (
  context: ReadContext,
  /** Undefined: the type was deleted. */
  type: ContentType | undefined,
  elements: ComponentInput['elements'],
  /** Present values of the component. */
  before: StoredElements,
  path: string,
  level: number,
) => Promise<() => Promise<StoredElements>>;

type ReadComponent = () => StoredComponent | Promise<StoredComponent>;

interface Location {
  /** Path in the body. */
  readonly path: string;
  /** Number of components around the text. */
  readonly level: number;
  readonly readInner: ReadInner;
}

/** Characters of the start of an object up to the end of its media type. */
const LONGEST_TYPE = 200;

/**
 * Reads rich text and its components, in the two steps of `readElements`.
 * @param before present value; an input without `components` keeps those that are still in the text, and one with
 *   `components` those whose type was deleted, which readers do not get
 */
export async function readRichText(
  context: ReadContext,
  element: RichTextElement,
  input: ElementInput,
  before: StoredRichText | undefined,
  location: Location,
): Promise<() => Promise<StoredRichText>> {
  const { path } = location;
  const { issues, content } = context;
  if (isTurnLong()) await nextTurn();
  const kept = !context.stored && before && isShownAs(before.html, input.value) ? before.html : undefined;
  const limit = context.stored || kept !== undefined ? STORED_LIMIT : TEXT_LIMIT;
  const html = readText(input.value, limit) ?? '';
  const parsed = await parseLongRichText(html);
  for (const issue of parsed.issues)
    issues.add(`The element '${element.codename}': ${issue}`, `${path}.value`);
  const targets = new Map<RichTextPlaceholder, Referred>();
  await eachInTurns(parsed.placeholders, (placeholder) => {
    const referred = content.add(
      placeholder.kind === 'asset' ? 'asset' : 'item',
      placeholder.to,
      `${path}.value`,
    );
    if (referred) targets.set(placeholder, referred);
  });
  const components = await readComponents(context, input, parsed.components, before?.components ?? [], {
    ...location,
    level: location.level + 1,
  });
  return async () => {
    if (isTurnLong()) await nextTurn();
    const stored: StoredComponent[] = [];
    for (const read of components) stored.push(await read());
    return {
      html: kept ?? writeRichText(parsed, (placeholder) => targets.get(placeholder)?.id ?? ''),
      components: stored,
    };
  };
}

/**
 * Whether the value is what clients read: it may be longer than what they may write, and an earlier release may have stored
 * it in another form. The work is bounded by the stored text.
 */
function isShownAs(html: string, value: unknown): boolean {
  const at = html.indexOf('<object ');
  if (typeof value !== 'string' || at < 0) return value === html;
  const [, mediaType] =
    /^<object type="application\/([^"]*)" /.exec(value.slice(at, at + LONGEST_TYPE)) ?? [];
  return mediaType !== undefined && value === toManagement(html, mediaType);
}

/** Reads components in the order of the text, which contains each exactly once. */
async function readComponents(
  context: ReadContext,
  input: ElementInput,
  placed: readonly string[],
  before: readonly StoredComponent[],
  location: Location,
): Promise<ReadComponent[]> {
  const { path, level } = location;
  const { issues, model } = context;
  const stays = ({ type }: StoredComponent) => input.components === undefined || !model.typeById.has(type);
  const given = new Map<string, { readonly component: ComponentInput; readonly at: string }>();
  const inText = new Set(placed);
  const list: unknown = input.components ?? [];
  if (!Array.isArray(list)) throw new ValueError('The components are an array.');
  for (const [index, component] of (list as readonly ComponentInput[]).entries()) {
    if (issues.isFull) break;
    const at = `${path}.components[${index}]`;
    const id = typeof component?.id === 'string' ? component.id.toLowerCase() : '';
    if (!isId(id)) issues.add('The id of a component is a GUID.', `${at}.id`);
    else if (given.has(id)) issues.add(`The component '${id}' is given twice.`, at);
    else if (!inText.has(id)) issues.add(`The component '${id}' is not in the text.`, at);
    given.set(id, { component, at });
  }
  if (placed.length > 0 && level > COMPONENT_LEVELS) {
    throw new ValueError(`Components can be nested up to level ${COMPONENT_LEVELS}.`);
  }
  const seen = new Set<string>();
  const present = new Map(before.map((component) => [component.id, component]));
  const components: ReadComponent[] = [];
  for (const id of placed) {
    const found = given.get(id);
    const own = present.get(id);
    if (own && !found && !seen.has(id) && stays(own)) {
      seen.add(id);
      components.push(() => own);
      continue;
    }
    if (seen.has(id)) issues.add(`The component '${id}' is in the text twice.`, `${path}.value`);
    else if (!found) issues.add(`The component '${id}' of the text is missing.`, `${path}.components`);
    if (seen.has(id) || !found) continue;
    seen.add(id);
    const component = await readComponent(context, found.component, own, id, {
      ...location,
      path: found.at,
    });
    if (component) components.push(component);
  }
  return components;
}

async function readComponent(
  context: ReadContext,
  component: ComponentInput,
  own: StoredComponent | undefined,
  id: string,
  { path, level, readInner }: Location,
): Promise<ReadComponent | undefined> {
  const { issues, model, stored } = context;
  const type = formOf(component.type) && findReferred(model.types, component.type);
  if (!type && stored && isId(component.type?.id)) {
    // The type was deleted; an archived version may still contain it.
    const deleted = component.type.id;
    const elements = await readInner(context, undefined, component.elements, {}, `${path}.elements`, level);
    return async () => ({ id, type: deleted, elements: await elements() });
  }
  if (!type) {
    if (checkForm(issues, component.type, REFERENCE_FORMS, `${path}.type`))
      issues.add(`There is no content type with ${describe(component.type)}.`, `${path}.type`);
    return undefined;
  }
  const before = own?.type === type.id ? own.elements : {};
  const elements = await readInner(
    context,
    type,
    component.elements ?? [],
    before,
    `${path}.elements`,
    level,
  );
  return async () => ({ id, type: type.id, elements: await elements() });
}
