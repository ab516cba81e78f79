/** Applies steps to the service, through the operations that all surfaces use. */
import { createAsset, updateAsset } from '../../../core/assets/assets.ts';
import type { ElementChange } from '../../../core/content/element-definitions.ts';
import { createItem, deleteItem, restoreItem, updateItem } from '../../../core/content/items.ts';
import { createLanguage, updateLanguage } from '../../../core/content/languages.ts';
import { replaceSitemap } from '../../../core/content/sitemap.ts';
import { createSnippet, updateSnippet } from '../../../core/content/snippets.ts';
import { createTaxonomy, type TermChange, updateTaxonomy } from '../../../core/content/taxonomies.ts';
import { createType, updateType } from '../../../core/content/types.ts';
import { deleteVariant, restoreVariant, upsertVariant } from '../../../core/content/variants.ts';
import type { ComponentInput, ElementInput, SitemapNodeInput } from '../../../core/model/inputs.ts';
import { DEFAULT_LANGUAGE_ID, type ElementDefinition, type Term } from '../../../core/model/model.ts';
import { newVersion, publishVariant, unpublishVariant } from '../../../core/publishing/publish.ts';
import type { Blobs } from '../../../core/storage/blobs/blobs.ts';
import type { ProjectTransaction } from '../../../core/transaction/project-transaction.ts';
import type {
  OracleComponent,
  OracleContent,
  OracleElement,
  OracleValue,
  OracleValues,
} from '../oracle/content.ts';
import { byKey, fieldsOf } from '../oracle/content.ts';
import { managementHtml } from '../oracle/rich-text.ts';
import { openView } from '../oracle/view.ts';
import { storeFile } from '../projects/store-file.ts';
import { DEFAULT_LANGUAGE } from './content-draft.ts';
import type { ElementStep, NodeStep, Step, TermStep } from './steps.ts';

/** Ids of one project by the oracle's keys. */
export type Ids = Map<string, string>;

/**
 * @param content the oracle's state before the step: values speak of things by key
 * @returns the ids that the service gave, added to `ids`
 */
export async function changeCore(
  transaction: ProjectTransaction,
  blobs: Blobs,
  content: OracleContent,
  step: Step,
  ids: Ids,
): Promise<void> {
  const known = ids.has(step.do === 'sitemap' ? '' : keyOf(step));
  switch (step.do) {
    case 'language': {
      const { name, codename, active: is_active } = step;
      const fallback_language = step.fallback === null ? null : { id: ids.get(step.fallback)! };
      if (step.key === DEFAULT_LANGUAGE) {
        await updateLanguage(transaction, { id: DEFAULT_LANGUAGE_ID }, { name, codename });
        ids.set(step.key, DEFAULT_LANGUAGE_ID);
      } else if (known) {
        await updateLanguage(
          transaction,
          { id: ids.get(step.key)! },
          { name, codename, is_active, fallback_language },
        );
      } else {
        ids.set(
          step.key,
          (await createLanguage(transaction, { name, codename, is_active, fallback_language })).id,
        );
      }
      return;
    }
    case 'taxonomy': {
      const { name, codename } = step;
      const terms = step.terms.map((term) => termInput(term, ids));
      const group = known
        ? await updateTaxonomy(transaction, { id: ids.get(step.key)! }, { name, codename, terms })
        : await createTaxonomy(transaction, { name, codename, terms });
      ids.set(step.key, group.id);
      learnTerms(step.terms, group.terms, ids);
      return;
    }
    case 'sitemap':
      learnTree(
        step.nodes,
        await replaceSitemap(
          transaction,
          step.nodes.map((node) => nodeInput(node, ids)),
        ),
        ids,
      );
      return;
    case 'snippet': {
      const input = { name: step.name, codename: step.codename, elements: elementInputs(step.elements, ids) };
      const snippet = known
        ? await updateSnippet(transaction, { id: ids.get(step.key)! }, input)
        : await createSnippet(transaction, input);
      ids.set(step.key, snippet.id);
      learnElements(step.elements, snippet.elements, ids);
      return;
    }
    case 'type': {
      const input = { name: step.name, codename: step.codename, elements: elementInputs(step.elements, ids) };
      const type = known
        ? await updateType(transaction, { id: ids.get(step.key)! }, input)
        : await createType(transaction, input);
      ids.set(step.key, type.id);
      learnElements(step.elements, type.elements, ids);
      return;
    }
    case 'asset': {
      const descriptions = Object.entries(step.descriptions).map(([language, description]) => ({
        language: { id: ids.get(language)! },
        description,
      }));
      const before = content.assets.find((asset) => asset.key === step.key);
      if (known && before?.fileName === step.fileName) {
        await updateAsset(transaction, { id: ids.get(step.key)! }, { descriptions });
        return;
      }
      const file = await storeFile(transaction, blobs, {
        name: step.fileName,
        type: step.type,
        content: Buffer.from(step.content),
      });
      const asset = known
        ? await updateAsset(transaction, { id: ids.get(step.key)! }, { file: file.id, descriptions })
        : await createAsset(transaction, { file: file.id, descriptions });
      ids.set(step.key, asset.id);
      ids.set(`${step.key}/file`, file.id);
      return;
    }
    case 'item': {
      const { name, codename } = step;
      const sitemap_locations = step.sitemap.map((key) => ({ id: ids.get(key)! }));
      const item = known
        ? await updateItem(transaction, { id: ids.get(step.key)! }, { name, codename, sitemap_locations })
        : await createItem(transaction, {
            name,
            codename,
            sitemap_locations,
            type: { id: ids.get(step.type)! },
          });
      ids.set(step.key, item.id);
      return;
    }
    case 'variant': {
      const type = byKey(content.items, step.item).type;
      const elements = elementValues(content, type, step.values, ids);
      await upsertVariant(
        transaction,
        { id: ids.get(step.item)! },
        { id: ids.get(step.language)! },
        { elements },
      );
      return;
    }
    case 'archive-item':
      await deleteItem(transaction, { id: ids.get(step.item)! });
      return;
    case 'restore-item':
      await restoreItem(transaction, ids.get(step.item)!);
      return;
    default: {
      const operation = {
        publish: publishVariant,
        unpublish: unpublishVariant,
        'new-version': newVersion,
        'archive-variant': deleteVariant,
        'restore-variant': restoreVariant,
      }[step.do];
      await operation(transaction, { id: ids.get(step.item)! }, { id: ids.get(step.language)! });
    }
  }
}

function keyOf(step: Exclude<Step, { do: 'sitemap' }>): string {
  return 'key' in step ? step.key : step.item;
}

function termInput(term: TermStep, ids: Ids): TermChange {
  const { name, codename } = term;
  const terms = term.terms.map((child) => termInput(child, ids));
  return { name, codename, terms, ...idOf(term.key, ids) };
}

function idOf(key: string, ids: Ids): { id?: string } {
  const id = ids.get(key);
  return id === undefined ? {} : { id };
}

function learnTerms(steps: readonly TermStep[], terms: readonly Term[], ids: Ids): void {
  for (const [index, step] of steps.entries()) {
    ids.set(step.key, terms[index]!.id);
    learnTerms(step.terms, terms[index]!.terms, ids);
  }
}

interface Tree {
  readonly id: string;
  readonly nodes: readonly Tree[];
}

function nodeInput({ key, name, codename, nodes }: NodeStep, ids: Ids): SitemapNodeInput {
  return { name, codename, nodes: nodes.map((node) => nodeInput(node, ids)), ...idOf(key, ids) };
}

function learnTree(steps: readonly NodeStep[], nodes: readonly Tree[], ids: Ids): void {
  for (const [index, step] of steps.entries()) {
    ids.set(step.key, nodes[index]!.id);
    learnTree(step.nodes, nodes[index]!.nodes, ids);
  }
}

function elementInputs(elements: readonly ElementStep[], ids: Ids): ElementChange[] {
  return elements.map((element) => {
    const { key, kind: type, name, codename, mode } = element;
    const input: ElementChange = { type, name, codename, ...idOf(key, ids), ...(mode ? { mode } : {}) };
    if (element.options) {
      const options = element.options.map((option) => ({ ...option, ...idOf(option.key, ids) }));
      return { ...input, options: options.map(({ key: _, ...option }) => option) };
    }
    if (element.group) return { ...input, taxonomy_group: { id: ids.get(element.group)! } };
    if (element.snippet) return { ...input, snippet: { id: ids.get(element.snippet)! } };
    if (type === 'custom') return { ...input, source_url: 'https://example.org/custom' };
    if (element.dependsOn === undefined) return input;
    const source = elements.find((other) => other.key === element.dependsOn)!;
    const id = ids.get(source.key);
    return { ...input, depends_on: { element: id === undefined ? { codename: source.codename } : { id } } };
  });
}

function learnElements(
  steps: readonly ElementStep[],
  elements: readonly ElementDefinition[],
  ids: Ids,
): void {
  for (const [index, step] of steps.entries()) {
    const element = elements[index]!;
    ids.set(step.key, element.id);
    if (element.type !== 'multiple_choice') continue;
    for (const [at, option] of step.options!.entries()) ids.set(option.key, element.options[at]!.id);
  }
}

function elementValues(content: OracleContent, type: string, values: OracleValues, ids: Ids): ElementInput[] {
  const fields = fieldsOf(content, byKey(content.types, type));
  return fields.flatMap(({ element }) => {
    const value = values[element.key];
    return value === undefined ? [] : [elementValue(content, element, value, ids)];
  });
}

function elementValue(
  content: OracleContent,
  element: OracleElement,
  value: OracleValue,
  ids: Ids,
): ElementInput {
  const input = { element: { id: ids.get(element.key)! } };
  if (Array.isArray(value)) return { ...input, value: value.map((key: string) => ({ id: ids.get(key)! })) };
  if (typeof value === 'object' && value !== null && 'blocks' in value) {
    const inner = value.blocks.flatMap((block) => (block.block === 'component' ? [block.component] : []));
    const components = inner.map((component) => componentInput(content, component, ids));
    return { ...input, value: managementHtml(openView(content, 'latest', undefined), value), components };
  }
  return element.kind === 'url_slug' ? { ...input, value, mode: 'custom' } : { ...input, value };
}

function componentInput(content: OracleContent, component: OracleComponent, ids: Ids): ComponentInput {
  return {
    id: component.id,
    type: { id: ids.get(component.type)! },
    elements: elementValues(content, component.type, component.values, ids),
  };
}
