import {
  allMembersTag,
  EVERYTHING,
  itemIdTag,
  itemNumberTag,
  itemTag,
  LANGUAGES,
  membersTag,
  projectTag,
  TYPES,
  typeTag,
} from '../changes/tags.ts';
import type { PagePlan } from '../storage/page-plan.ts';
import type { BoundQuery } from './bound-query.ts';
import type { Page } from './page.ts';
import type { Filter } from './parse-query.ts';
import { namedIds } from './plan-conditions.ts';
import type { ReadyDocument } from './ready-document.ts';

/** More tags cost more than they save; an answer with more is valid until anything of its project changes. */
const LIMIT = 200;
/** Longer than any codename: no object gets such a name, so answers about it are not cached. */
export const NAME_LIMIT = 200;

/**
 * What an answer about items depends on: how the items were found, and what is shown. Documents bring what they were
 * compiled from with them: a change of that carries the tags of the items that show it (`read-model/tags-of-dependents`).
 * Undefined: not to be cached.
 */
export function itemsTags(
  query: BoundQuery,
  { documents, linked, missing }: Page,
): readonly string[] | undefined {
  const { model, channel, codename } = query;
  if (codename !== undefined && codename.length > NAME_LIMIT) return undefined;
  const { tags, everyType, everyMember, items, types } = scopeOf(query);
  if (everyMember) return [...tags];
  const shown: string[] = [];
  const listed = new Map<number, boolean>();
  const add = (document: ReadyDocument) => {
    let isListed = listed.get(document.type);
    if (isListed === undefined) {
      const type = model.typeByNumber.get(document.type)?.codename ?? '';
      if (!everyType) tags.add(typeTag(type));
      isListed = types.has(type);
      listed.set(document.type, isListed);
    }
    if (!isListed && !items.has(document.codename)) shown.push(document.codename);
  };
  documents.forEach(add);
  linked.forEach(add);
  // Counted before they are written: 200 of them take some 20 µs.
  if (tags.size + shown.length > LIMIT) return [EVERYTHING];
  for (const shownItem of shown) tags.add(itemTag(channel, shownItem));
  for (const item of missing) tags.add(itemNumberTag(channel, item));
  return tags.size > LIMIT ? [EVERYTHING] : [...tags];
}

/** Of types, taxonomies and languages. Undefined: not to be cached. */
export function modelTags(project: string, tag: string): readonly string[] | undefined {
  return tag.length > NAME_LIMIT ? undefined : [projectTag(project), tag];
}

/**
 * While documents are recompiled their index rows are outdated, so pages that are found or ordered by them change
 * without a sequence. Codename, type and language are not read from index rows.
 */
export function holdsWhileRecompiling(plan: PagePlan): boolean {
  return plan.conditions.length === 0 && plan.order.by !== 'slots';
}

interface Scope {
  readonly tags: Set<string>;
  readonly everyType: boolean;
  readonly everyMember: boolean;
  /** Codenames of the items that are among the tags. */
  readonly items: ReadonlySet<string>;
  /** Codenames of the types whose members are among the tags. */
  readonly types: ReadonlySet<string>;
}

/** What decides which items are found. A filter by codename, id or type bounds all of it. */
function scopeOf({ model, channel, query, named, codename }: BoundQuery): Scope {
  const tags = new Set([projectTag(model.project.id), LANGUAGES]);
  const add = (all: Iterable<string>, toTag: (one: string) => string) => {
    for (const one of all) tags.add(toTag(one));
  };
  // Codenames of linked items are looked up too; renaming those is a change of whatever links to them.
  add(namedIds(query.filters), itemIdTag);

  const bounds = query.filters.filter(isBound);
  const items = new Set(codename === undefined ? [] : [codename]);
  for (const { name, values } of bounds) {
    if (name === 'codename') for (const value of values) items.add(value);
    if (name === 'id') for (const value of values) items.add(named.codenameOf.get(value) ?? '');
  }
  items.delete('');
  if (codename !== undefined || bounds.some(({ name }) => name !== 'type')) {
    add(items, (item) => itemTag(channel, item));
    // Any other filter depends on the types of items that may not be in the answer.
    const others = query.filters.some((filter) => !isBound(filter) || filter.name === 'type');
    if (others) tags.add(TYPES);
    return { tags, everyType: others, everyMember: false, items, types: new Set() };
  }
  const types = new Set(bounds.flatMap(({ values }) => values));
  if (bounds.length > 0) {
    add(types, typeTag);
    add(types, (type) => membersTag(channel, type));
    return { tags, everyType: false, everyMember: false, items, types };
  }
  tags.add(TYPES).add(allMembersTag(channel));
  return { tags, everyType: true, everyMember: true, items, types };
}

/** Whether the filter names each item, or each type, that can be found at all. */
function isBound({ scope, name, operator }: Filter): boolean {
  return (
    scope === 'system' &&
    (operator === 'eq' || operator === 'in') &&
    (name === 'codename' || name === 'id' || name === 'type')
  );
}
