import type { ContentFilter, ContentOrder } from '../content-list/content-filter.ts';
import { ServiceError } from '../errors.ts';
import type { ContentType, Language, SitemapNode } from '../model/model.ts';
import { findReferred } from '../model/reference.ts';
import { VARIANT_STATES } from '../model/variant-state.ts';
import { permitsContent } from '../transaction/content-access.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import { isOn, knownValue, referenceTo, timeIn } from './call.ts';

export const ORDERS = ['relevance', 'name', 'changed', 'type', 'state'] as const;
const ELEMENT = 'elements.';
/** Kinds of elements with one value that can be compared. */
const SORTED: ReadonlySet<string> = new Set(['text', 'number', 'date_time', 'url_slug', 'custom']);

export function filterOf(query: URLSearchParams, view: ProjectView): ContentFilter {
  const term = query.get('term') || undefined;
  const location = query.get('location') || undefined;
  const wanted = query.get('text') ?? '';
  const author = query.get('author')?.toLowerCase() || undefined;
  const from = timeIn(query, 'changed_from');
  const before = timeIn(query, 'changed_before');
  const types = partsOf(query, 'type').map((given) => typeOf(view, given));
  const states = partsOf(query, 'state').map((given) => knownValue(VARIANT_STATES, given, 'state'));
  const terms = term === undefined ? undefined : termsOf(view, term);
  return {
    language: listedLanguage(query, view),
    ...(types.length > 0 && { types }),
    ...(states.length > 0 && { states }),
    ...(isOn(query, 'lacking') && { isLacking: true }),
    ...(wanted.trim() !== '' && { text: wanted }),
    ...(terms && { terms }),
    ...(location !== undefined && { location: locationOf(view, location) }),
    ...(author !== undefined && { author }),
    ...(from !== undefined && { changedFrom: from }),
    ...(before !== undefined && { changedBefore: before }),
  };
}

export function orderOf(query: URLSearchParams, { types = [], text }: ContentFilter): ContentOrder {
  const given = query.get('order') || (text === undefined ? 'name' : 'relevance');
  if (given.startsWith(ELEMENT)) {
    const [type, ...others] = types;
    const field = others.length === 0 ? type?.fieldByCodename.get(given.slice(ELEMENT.length)) : undefined;
    if (field && SORTED.has(field.element.type)) return field;
    throw new ServiceError(
      'orderAttribute',
      `An order by an element needs one 'type' that has it, and one of the kinds ${[...SORTED].join(', ')}.`,
    );
  }
  const order = ORDERS.find((one) => one === given);
  if (order) return order;
  throw new ServiceError('orderAttribute', `'order' must be one of ${ORDERS.join(', ')} or elements.….`);
}

/** Values that commas separate. */
export function partsOf(query: URLSearchParams, name: string): string[] {
  const parts = (query.get(name) ?? '').split(',').map((part) => part.trim());
  return [...new Set(parts.filter((part) => part !== ''))];
}

export function offsetOf(query: URLSearchParams): number {
  const given = query.get('offset') || '0';
  if (/^\d{1,9}$/.test(given)) return Number(given);
  throw new ServiceError('notPositiveOrZero', `'offset' must be a whole number from 0.`);
}

/** That of the query; otherwise the default one, or the first in which the person may view content. */
export function listedLanguage(query: URLSearchParams, view: ProjectView): Language {
  const given = query.get('language');
  if (given) return languageOf(view, given);
  const { defaultLanguage, languages } = view.model;
  return (
    [defaultLanguage, ...languages].find(
      (language) => language.isActive && permitsContent(view, 'view-content', { type: 'some', language }),
    ) ?? defaultLanguage
  );
}

export function languageOf({ model }: ProjectView, given: string): Language {
  const language = findReferred(model.languages, referenceTo(given));
  if (language?.isActive) return language;
  throw new ServiceError('languageNotFound', `There is no active language '${given}'.`);
}

/** Also one that is not active. */
export function anyLanguageOf({ model }: ProjectView, given: string): Language {
  const language = findReferred(model.languages, referenceTo(given));
  if (language) return language;
  throw new ServiceError('languageNotFound', `There is no language '${given}'.`);
}

export function typeOf({ model }: ProjectView, given: string): ContentType {
  const type = findReferred(model.types, referenceTo(given));
  if (type) return type;
  throw new ServiceError('typeNotFound', `There is no type '${given}'.`);
}

/** Terms of several groups may have one codename. */
function termsOf({ model }: ProjectView, given: string) {
  const { id, codename } = referenceTo(given);
  const terms = model.taxonomies.flatMap(
    ({ termById, termByCodename }) =>
      (id === undefined ? termByCodename.get(codename ?? '') : termById.get(id)) ?? [],
  );
  if (terms.length > 0) return terms;
  throw new ServiceError('objectNotFound', `There is no term '${given}'.`);
}

function locationOf({ model }: ProjectView, given: string): SitemapNode {
  const node = findReferred(model.sitemapNodeById.values(), referenceTo(given));
  if (node) return node;
  throw new ServiceError('objectNotFound', `There is no location '${given}'.`);
}
