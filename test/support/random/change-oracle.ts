/** Does a step to the oracle's content set. */
import { isDeepStrictEqual } from 'node:util';
import {
  allNodes,
  allTerms,
  byKey,
  fieldsOf,
  type OracleContent,
  type OracleElement,
  type OracleNode,
  type OracleTerm,
  type OracleValue,
  type OracleValues,
  type OracleVariant,
} from '../oracle/content.ts';
import type { ElementStep, NodeStep, Step, TermStep } from './steps.ts';

/** What only the service can know: the ids it gave and the time of the transaction. */
export interface Changed {
  readonly ids: ReadonlyMap<string, string>;
  /** ISO time with 7 fraction digits. */
  readonly now: string;
}

export function changeOracle(content: OracleContent, step: Step, changed: Changed): void {
  const id = (key: string) => changed.ids.get(key) ?? '';
  switch (step.do) {
    case 'language': {
      const { do: _, ...facts } = step;
      put(
        content.languages,
        { ...facts, id: id(step.key), isDefault: content.languages.length === 0 },
        step.key,
      );
      return;
    }
    case 'taxonomy':
      putDated(content.taxonomies, termOf(step, id), changed.now);
      return;
    case 'sitemap':
      content.sitemap = step.nodes.map((node) => nodeOf(node, id));
      return;
    case 'snippet': {
      const snippet = modelOf(step, id);
      if (
        same(
          snippet,
          content.snippets.find(({ key }) => key === step.key),
        )
      )
        return;
      put(content.snippets, snippet, step.key);
      // A type changes with its snippets.
      for (const type of content.types) {
        if (type.elements.some((element) => element.snippet === step.key)) type.lastModified = changed.now;
      }
      return;
    }
    case 'type':
      putDated(content.types, modelOf(step, id), changed.now);
      return;
    case 'asset': {
      const { key, fileName, type, descriptions } = step;
      const facts = { key, fileName, type, descriptions: { ...descriptions } };
      const size = Buffer.byteLength(step.content);
      put(content.assets, { ...facts, size, id: id(key), file: id(`${key}/file`) }, key);
      return;
    }
    case 'item': {
      const { key, name, codename, type } = step;
      const before = content.items.find((item) => item.key === key);
      const facts = { key, id: id(key), name, codename, type, sitemap: [...step.sitemap] };
      // Items leave a node of the sitemap when it is deleted.
      const places = allNodes(content.sitemap).map((node) => node.key);
      const left = before && { ...before, sitemap: before.sitemap.filter((node) => places.includes(node)) };
      const lastModified = left && same({ ...left, ...facts }, left) ? left.lastModified : changed.now;
      put(content.items, { ...facts, lastModified, variants: before?.variants ?? [] }, key);
      return;
    }
    case 'variant': {
      const item = byKey(content.items, step.item);
      const variant = item.variants.find((candidate) => candidate.language === step.language);
      // An archived one starts empty.
      const before = variant?.archived ? undefined : variant?.latest.values;
      const values = { ...before, ...written(content, item.type, step.values) };
      // Writing equal values is no change, and an empty value equals one that was never written.
      if (before && same(filled(content, item.type, values), filled(content, item.type, before))) return;
      const latest = { values, lastModified: changed.now };
      const published = variant && before ? variant.published : null;
      const others = item.variants.filter((other) => other !== variant);
      item.variants = [...others, { language: step.language, latest, published }];
      return;
    }
    case 'publish':
      variantOf(content, step).published = variantOf(content, step).latest;
      return;
    case 'unpublish':
      variantOf(content, step).published = null;
      return;
    case 'new-version':
      return;
    case 'archive-variant':
    case 'restore-variant':
      variantOf(content, step).archived = step.do === 'archive-variant';
      return;
    case 'archive-item':
    case 'restore-item':
      byKey(content.items, step.item).archived = step.do === 'archive-item';
      return;
  }
}

function variantOf(content: OracleContent, step: { item: string; language: string }): OracleVariant {
  const { variants } = byKey(content.items, step.item);
  return variants.find((variant) => variant.language === step.language)!;
}

/** In place of the one with the same key, else at the end. */
function put<T extends { readonly key: string }>(all: T[], one: T, key: string): void {
  const at = all.findIndex((other) => other.key === key);
  if (at < 0) {
    all.push(one);
    return;
  }
  const before = all[at] as T & { isDefault?: boolean };
  all[at] = 'isDefault' in before ? { ...one, isDefault: before.isDefault } : one;
}

/** With a new time if it is not the same as before. */
function putDated<T extends { readonly key: string }>(
  all: (T & { lastModified: string })[],
  one: T,
  now: string,
): void {
  const before = all.find((other) => other.key === one.key);
  if (same({ ...before, ...one }, before)) return;
  put(all, { ...one, lastModified: now }, one.key);
}

/** Choices are stored in the order that the options have when they are written. */
function written(content: OracleContent, type: string, values: OracleValues): OracleValues {
  const chosen: Record<string, OracleValue> = {};
  for (const { element } of fieldsOf(content, byKey(content.types, type))) {
    const value = values[element.key];
    if (element.options && Array.isArray(value))
      chosen[element.key] = element.options.map(({ key }) => key).filter((key) => value.includes(key));
  }
  return { ...values, ...chosen };
}

/** Values in normal form: without empty ones, and without choices that the model no longer has. */
function filled(content: OracleContent, type: string, values: OracleValues): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const { element } of fieldsOf(content, byKey(content.types, type))) {
    const value = present(content, element, values[element.key]);
    if (
      value !== undefined &&
      value !== null &&
      value !== '' &&
      !(Array.isArray(value) && value.length === 0)
    )
      shown[element.key] = value;
  }
  return shown;
}

function present(content: OracleContent, element: OracleElement, value: OracleValue | undefined): unknown {
  if (element.options && Array.isArray(value))
    return value.filter((key) => element.options?.some((option) => option.key === key));
  if (element.group !== undefined && Array.isArray(value)) {
    const terms = allTerms(byKey(content.taxonomies, element.group).terms);
    return value.filter((key) => terms.some((term) => term.key === key));
  }
  if (typeof value !== 'object' || value === null || !('blocks' in value)) return value;
  return value.blocks.length === 0
    ? undefined
    : value.blocks.map((block) =>
        block.block === 'component'
          ? { ...block.component, values: filled(content, block.component.type, block.component.values) }
          : block,
      );
}

function same(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(one, other);
}

function termOf(step: TermStep, id: (key: string) => string): OracleTerm {
  const { key, name, codename } = step;
  return { key, name, codename, id: id(key), terms: step.terms.map((term) => termOf(term, id)) };
}

function nodeOf(step: NodeStep, id: (key: string) => string): OracleNode {
  const { key, name, codename } = step;
  return { key, name, codename, id: id(key), nodes: step.nodes.map((node) => nodeOf(node, id)) };
}

function modelOf(step: Extract<Step, { do: 'type' | 'snippet' }>, id: (key: string) => string) {
  const { key, name, codename } = step;
  return {
    key,
    name,
    codename,
    id: id(key),
    elements: step.elements.map((element) => elementOf(element, id)),
  };
}

function elementOf(step: ElementStep, id: (key: string) => string): OracleElement {
  const { options, ...facts } = step;
  const element: OracleElement = { ...facts, id: id(step.key) };
  if (options) element.options = options.map((option) => ({ ...option, id: id(option.key) }));
  return element;
}
