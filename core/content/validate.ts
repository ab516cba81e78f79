import { findViolations, type RuleFacts, type Violation } from '../model/find-violations.ts';
import type {
  ContentType,
  ElementDefinition,
  Field,
  IdReference,
  Language,
  ProjectModel,
  ValueElement,
} from '../model/model.ts';
import { normalValue } from '../model/normal-value.ts';
import { richTextReferences } from '../model/rich-text/references.ts';
import type { StoredElements, StoredRichText, StoredValue } from '../model/values.ts';
import { collectReferences } from '../read-model/references-of.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import { eachInTurns } from '../turns/each-in-turns.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';
import type { Item } from './item-rows.ts';
import { type AfterVariant, variantsOfType } from './listings.ts';
import { loadRuleFacts } from './load-rule-facts.ts';
import type { Variant } from './variant-rows.ts';

/** Issues of an element of a variant or of a type. */
export interface ElementIssues {
  readonly element: { readonly id: string; readonly name: string; readonly codename: string };
  readonly messages: readonly string[];
}

export interface VariantIssues {
  readonly item: Pick<Item, 'id' | 'name' | 'codename'>;
  readonly language: Pick<Language, 'id' | 'name' | 'codename'>;
  readonly issues: readonly ElementIssues[];
}

export interface TypeIssues {
  readonly type: Pick<ContentType, 'id' | 'name' | 'codename'>;
  readonly issues: readonly ElementIssues[];
}

/** Variants read at a time. */
const BATCH = 50;

/** Finds what drafts may have but should not: violations of the rule for publishing, and dangling references. */
export async function validateVariants(view: ProjectView): Promise<VariantIssues[]> {
  const found: VariantIssues[] = [];
  for (const type of view.model.types) {
    let after: AfterVariant = [0, 0];
    for (;;) {
      const variants = await variantsOfType(view, type, after, BATCH);
      const facts = await factsOf(view, variants);
      for (const { item, language, elements } of variants) {
        const issues = await elementIssues(view.model, type, elements, facts);
        if (issues.length > 0) found.push({ item, language, issues });
      }
      const last = variants.at(-1);
      if (!last || variants.length < BATCH) break;
      after = [last.item.number, last.language.number];
    }
  }
  return found;
}

/** Finds elements that refer to deleted parts of the model. */
export function validateTypes(model: ProjectModel): TypeIssues[] {
  return model.types.flatMap((type) => {
    const own = new Set(type.elements.map(({ id }) => id));
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
      for (const { id } of elementsNamedBy(element))
        if (!type.fieldByElement.has(id) && !own.has(id))
          messages.push(`The element '${id}' does not exist.`);
      return messages.length > 0 ? [{ element, messages }] : [];
    });
    return issues.length > 0 ? [{ type, issues }] : [];
  });
}

/** Elements of the type or of its snippets that an element refers to. */
function elementsNamedBy(element: ElementDefinition): readonly IdReference[] {
  if (element.type === 'url_slug') return [element.depends_on.element];
  return element.type === 'custom' ? (element.allowed_elements ?? []) : [];
}

/** By element: violations of the rule for publishing, then dangling references. */
async function elementIssues(
  model: ProjectModel,
  type: ContentType,
  elements: StoredElements,
  facts: RuleFacts,
): Promise<ElementIssues[]> {
  const messages = new Map<Field, string[]>();
  const add = ({ field, message }: Pick<Violation, 'field' | 'message'>) => {
    const known = messages.get(field);
    if (known) known.push(message);
    else messages.set(field, [message]);
  };
  await eachInTurns(await findViolations(model, type, elements, facts), add);
  await eachInTurns(await findMissing(model, type, elements, facts), add);
  return type.fields.flatMap((field) => {
    const found = messages.get(field);
    const { id, name } = field.element;
    return found ? [{ element: { id, name, codename: field.codename }, messages: found }] : [];
  });
}

type Missing = Pick<Violation, 'field' | 'message'>;

async function findMissing(
  model: ProjectModel,
  type: ContentType,
  elements: StoredElements,
  facts: RuleFacts,
): Promise<Missing[]> {
  const found: Missing[] = [];
  for (const field of type.fields) {
    const messages = await missingIn(model, field.element, elements[field.element.id], facts);
    await eachInTurns(messages, (message) => found.push({ field, message }));
  }
  return found;
}

async function missingIn(
  model: ProjectModel,
  element: ValueElement,
  stored: StoredValue | undefined,
  facts: RuleFacts,
): Promise<string[]> {
  const found: string[] = [];
  const missing = async (what: string, ids: readonly string[], exists: (id: string) => boolean) => {
    await eachInTurns(ids, (id) => {
      if (!exists(id)) found.push(`The ${what} '${id}' does not exist.`);
    });
    return found;
  };
  const isItem = (id: string) => facts.item(id) !== undefined;
  const isFile = (id: string) => facts.file(id) !== undefined;
  switch (element.type) {
    case 'taxonomy': {
      const terms = model.taxonomyById.get(element.taxonomy_group.id)?.termById;
      return missing(
        'term',
        normalValue(model, element, stored) as readonly string[],
        (id) => terms?.has(id) === true,
      );
    }
    case 'modular_content':
      return missing('item', (stored ?? []) as readonly string[], isItem);
    case 'asset':
      return missing('asset', (stored ?? []) as readonly string[], isFile);
    case 'rich_text': {
      const { html = '', components = [] } = (stored ?? {}) as Partial<StoredRichText>;
      if (isTurnLong()) await nextTurn();
      const { linkedItems, assets } = await richTextReferences(html);
      const items = linkedItems.flatMap(({ kind, id }) => (kind === 'item' ? [id] : []));
      await missing('item', items, isItem);
      await missing('asset', assets, isFile);
      for (const component of components) {
        const type = model.typeById.get(component.type);
        if (!type) found.push(`The content type '${component.type}' does not exist.`);
        if (!type) continue;
        for (const { field, message } of await findMissing(model, type, component.elements, facts))
          found.push(`In the component '${component.id}', element '${field.element.name}': ${message}`);
      }
      return found;
    }
    case 'text':
    case 'number':
    case 'multiple_choice':
    case 'date_time':
    case 'url_slug':
    case 'custom':
      return found;
  }
}

/** Reads facts of all objects that the variants refer to, with two statements. */
async function factsOf(view: ProjectView, variants: readonly Variant[]): Promise<RuleFacts> {
  const ids = { items: new Set<string>(), links: new Set<string>(), assets: new Set<string>() };
  for (const { item, elements } of variants) await collectReferences(view.model, item.type, elements, ids);
  return loadRuleFacts(view, ids);
}
