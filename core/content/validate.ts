import type { ProjectView } from '../project-view.ts';
import { EMPTY_RICH_TEXT } from '../rich-text/canonical.ts';
import { richTextReferences } from '../rich-text/references.ts';
import type { Item } from './item-rows.ts';
import { type AfterVariant, variantsOfType } from './listings.ts';
import type { ContentType, CountLimit, Field, IdReference, Language, ProjectModel } from './model.ts';
import { normalValue } from './normal-value.ts';
import { countText } from './plain-values.ts';
import type { StoredElements, StoredRichText, StoredUrlSlug, StoredValue } from './values.ts';
import type { Variant } from './variant-rows.ts';

/** What is wrong with an element of a variant or of a type. */
export interface ElementFindings {
  readonly element: { readonly id: string; readonly name: string; readonly codename: string };
  readonly messages: readonly string[];
}

export interface VariantFindings {
  readonly item: Pick<Item, 'id' | 'name' | 'codename'>;
  readonly language: Pick<Language, 'id' | 'name' | 'codename'>;
  readonly issues: readonly ElementFindings[];
}

export interface TypeFindings {
  readonly type: Pick<ContentType, 'id' | 'name' | 'codename'>;
  readonly issues: readonly ElementFindings[];
}

/** Variants read at a time. */
const BATCH = 200;

/**
 * Everything that drafts may have and that still is wrong: required elements without a value, too few or, since
 * limits change, too many of something, links to what is not there or not allowed.
 */
export async function validateVariants(view: ProjectView): Promise<VariantFindings[]> {
  const found: VariantFindings[] = [];
  for (const type of view.model.types) {
    let after: AfterVariant = [0, 0];
    for (;;) {
      const variants = await variantsOfType(view, type, after, BATCH);
      const linked = await linkedItems(view, variants);
      for (const { item, language, elements } of variants) {
        const issues = elementFindings(view.model, type, elements, linked);
        if (issues.length > 0) found.push({ item, language, issues });
      }
      const last = variants.at(-1);
      if (!last || variants.length < BATCH) break;
      after = [last.item.number, last.language.number];
    }
  }
  return found;
}

/** Elements that refer to parts of the model that are gone. */
export function validateTypes(model: ProjectModel): TypeFindings[] {
  return model.types.flatMap((type) => {
    const issues = type.elements.flatMap((element) => {
      const messages: string[] = [];
      if (element.type === 'taxonomy' && !model.taxonomyById.has(element.taxonomy_group.id))
        messages.push(`The taxonomy group '${element.taxonomy_group.id}' does not exist.`);
      if (element.type === 'snippet' && !model.snippetById.has(element.snippet.id))
        messages.push(`The snippet '${element.snippet.id}' does not exist.`);
      if (element.type === 'rich_text' || element.type === 'modular_content') {
        for (const { id } of element.allowed_content_types ?? [])
          if (!model.typeById.has(id)) messages.push(`The content type '${id}' does not exist.`);
      }
      return messages.length > 0 ? [{ element, messages }] : [];
    });
    return issues.length > 0 ? [{ type, issues }] : [];
  });
}

interface Linked {
  readonly name: string;
  readonly type: ContentType | undefined;
}

type LinkedItems = ReadonlyMap<string, Linked>;

function elementFindings(
  model: ProjectModel,
  type: ContentType,
  elements: StoredElements,
  linked: LinkedItems,
): ElementFindings[] {
  return type.fields.flatMap((field) => {
    const messages = messagesOf(model, field, elements[field.element.id], linked);
    const { id, name } = field.element;
    return messages.length > 0 ? [{ element: { id, name, codename: field.codename }, messages }] : [];
  });
}

function messagesOf(
  model: ProjectModel,
  { element }: Field,
  stored: StoredValue | undefined,
  linked: LinkedItems,
): string[] {
  const value = normalValue(model, element, stored);
  const messages: string[] = [];
  if (element.is_required && isEmpty(value)) messages.push('A value is required and there is none.');
  switch (element.type) {
    case 'text':
      messages.push(...tooLong(element.maximum_text_length, (value ?? '') as string));
      break;
    case 'asset':
      messages.push(...wrongCount(element.asset_count_limit, value, 'assets'));
      break;
    case 'taxonomy': {
      const terms = model.taxonomyById.get(element.taxonomy_group.id)?.termById;
      messages.push(...wrongCount(element.term_count_limit, value, 'terms'));
      for (const id of value as readonly string[])
        if (!terms?.has(id)) messages.push(`The term '${id}' does not exist.`);
      break;
    }
    case 'modular_content':
      messages.push(...wrongCount(element.item_count_limit, value, 'items'));
      messages.push(...wrongItems(element.allowed_content_types, value as readonly string[], linked));
      break;
    case 'rich_text': {
      const text = value as StoredRichText;
      const limit = element.maximum_text_length;
      messages.push(
        ...tooLong(limit, text.html.replace(/<[^>]*>/g, limit?.applies_to === 'words' ? ' ' : '')),
      );
      messages.push(...wrongItems(element.allowed_content_types, itemsIn(text), linked));
      for (const component of text.components) {
        const type = model.typeById.get(component.type);
        if (!type) continue;
        if (!isAllowed(element.allowed_content_types, type))
          messages.push(
            `The component '${component.id}' is of the type '${type.name}', which is not allowed.`,
          );
        for (const inner of elementFindings(model, type, component.elements, linked))
          for (const message of inner.messages)
            messages.push(`In the component '${component.id}', element '${inner.element.name}': ${message}`);
      }
      break;
    }
  }
  return messages;
}

function isEmpty(value: StoredValue): boolean {
  if (value === null || Array.isArray(value)) return value === null || value.length === 0;
  if (typeof value !== 'object') return value === '';
  return 'html' in value ? value.html === EMPTY_RICH_TEXT : (value as StoredUrlSlug).value === '';
}

function tooLong(
  limit: { readonly value: number; readonly applies_to: 'words' | 'characters' } | null | undefined,
  text: string,
): string[] {
  if (!limit) return [];
  const count = countText(text, limit.applies_to);
  return count > limit.value
    ? [`There are ${count} ${limit.applies_to}, at most ${limit.value} are allowed.`]
    : [];
}

function wrongCount(limit: CountLimit | null | undefined, value: StoredValue, what: string): string[] {
  const count = (value as readonly string[]).length;
  if (!limit) return [];
  const tooMany = limit.condition !== 'at_least' && count > limit.value;
  const tooFew = limit.condition !== 'at_most' && count < limit.value;
  if (!tooMany && !tooFew) return [];
  return [`There are ${count} ${what}, ${limit.condition.replace('_', ' ')} ${limit.value} are expected.`];
}

function wrongItems(
  allowed: readonly IdReference[] | undefined,
  ids: readonly string[],
  linked: LinkedItems,
): string[] {
  return ids.flatMap((id) => {
    const item = linked.get(id);
    if (!item?.type) return [`The item '${id}' does not exist.`];
    if (isAllowed(allowed, item.type)) return [];
    return [`The item '${item.name}' is of the type '${item.type.name}', which is not allowed.`];
  });
}

function isAllowed(allowed: readonly IdReference[] | undefined, type: ContentType): boolean {
  return !allowed || allowed.length === 0 || allowed.some(({ id }) => id === type.id);
}

function itemsIn({ html }: StoredRichText): string[] {
  return richTextReferences(html).linkedItems.flatMap(({ kind, id }) => (kind === 'item' ? [id] : []));
}

/** The items that variants link to, in one statement. */
async function linkedItems(view: ProjectView, variants: readonly Variant[]): Promise<LinkedItems> {
  const ids = new Set<string>();
  const visit = (type: ContentType, elements: StoredElements): void => {
    for (const { element } of type.fields) {
      const value = elements[element.id];
      if (!value) continue;
      if (element.type === 'modular_content') for (const id of value as readonly string[]) ids.add(id);
      if (element.type !== 'rich_text') continue;
      const text = value as StoredRichText;
      for (const id of itemsIn(text)) ids.add(id);
      for (const component of text.components) {
        const inner = view.model.typeById.get(component.type);
        if (inner) visit(inner, component.elements);
      }
    }
  };
  for (const { item, elements } of variants) visit(item.type, elements);
  if (ids.size === 0) return new Map();
  const among = view.tx.among('id', [...ids]);
  const rows = await view.tx.all<{ id: string; name: string | null; type: number | null }>(
    `SELECT id, name, type FROM item WHERE project = ? AND ${among.text} AND archived IS NULL`,
    [view.project.number, among.parameter],
  );
  return new Map(
    rows.map(({ id, name, type }) => [
      id,
      { name: name ?? '', type: type === null ? undefined : view.model.typeByNumber.get(type) },
    ]),
  );
}
