import type { Field, ProjectModel } from '../model/model.ts';
import { textKey } from '../storage/index-key.ts';
import type { Condition, EmptyCondition, SlotCondition } from '../storage/page-plan.ts';
import type { NamedItems } from './named-items.ts';
import { isOf, type OperatorOf } from './operators.ts';
import type { Filter } from './parse-query.ts';

/** Conditions of an attribute that has a list of members: one for each set of members, however often it is named. */
export function arrayConditions(
  filters: readonly Filter[],
  slots: readonly number[],
  idsOf: (value: string) => readonly string[],
): Condition[] | null {
  const wanted = new Map<string, readonly string[]>();
  for (const { operator, values } of filters) {
    if (isOf('either', operator)) continue;
    if (!isOf('list', operator)) return null;
    for (const set of memberSets(operator, values, idsOf)) {
      const ids = [...new Set(set)].sort();
      if (ids.length === 0) return null;
      wanted.set(JSON.stringify(ids), ids);
    }
  }
  return [...wanted.values()].map((ids) => ({
    on: 'slots',
    slots,
    test: { kind: 'one-of', keys: ids.map(textKey) },
  }));
}

/** The list must have a member of each of the sets. */
function memberSets(
  operator: OperatorOf<'list'>,
  values: readonly string[],
  idsOf: (value: string) => readonly string[],
): readonly (readonly string[])[] {
  switch (operator) {
    case 'any':
      return [[...new Set(values)].flatMap(idsOf)];
    case 'contains':
    case 'all':
      return values.map(idsOf);
  }
}

/** The ids of members that filters name; they are unique, so one condition can hold those of several elements. */
export function membersNamed(
  model: ProjectModel,
  fields: readonly Field[],
  filters: readonly Filter[],
  named: NamedItems,
): (value: string) => readonly string[] {
  const values = filters.flatMap((filter) => filter.values);
  const ids = new Map<string, Set<string>>(values.map((value) => [value, new Set()]));
  const groups = new Set<string>();
  const addEach = (idOf: (value: string) => string | undefined) => {
    for (const [value, own] of ids) {
      const id = idOf(value);
      if (id !== undefined) own.add(id);
    }
  };
  for (const { element } of fields) {
    if (element.type === 'multiple_choice')
      for (const option of element.options) ids.get(option.codename)?.add(option.id);
    else if (element.type === 'taxonomy') groups.add(element.taxonomy_group.id);
  }
  for (const group of groups)
    addEach((value) => model.taxonomyById.get(group)?.termByCodename.get(value)?.id);
  if (fields.some(({ element }) => element.type === 'modular_content'))
    addEach((value) => named.idOf.get(value));
  if (fields.some(({ element }) => element.type === 'asset')) addEach((value) => value);
  return (value) => [...(ids.get(value) ?? [])];
}

/**
 * Removing an option, a term or a sitemap node from the model touches no index row, and a list of removed members only
 * is empty. So rows in `chosen` slots count only if they hold one of the `members` that there are.
 */
export function emptiness(
  slots: { readonly chosen: readonly number[] } & Partial<Record<'richText' | 'others', readonly number[]>>,
  members: readonly string[],
  empty: boolean,
): Condition[] {
  const { chosen, richText = [], others = [] } = slots;
  const everywhere = [chosen, richText, others].filter(({ length }) => length > 0).length === 1;
  const groups: (SlotCondition | EmptyCondition)[] = [];
  if (others.length > 0) groups.push({ on: 'empty', slots: others, empty, everywhere });
  if (richText.length > 0) groups.push({ on: 'empty', slots: richText, empty, everywhere, isRichText: true });
  if (chosen.length > 0) {
    const keys = [...new Set(members)].map(textKey);
    groups.push({ on: 'slots', slots: chosen, test: { kind: empty ? 'none-of' : 'one-of', keys } });
  }
  return empty || groups.length === 1 ? groups : [{ on: 'either', of: groups }];
}

/** Ids of all members that the list of an item can have. */
export function membersOf(model: ProjectModel, { element }: Field): string[] {
  if (element.type === 'multiple_choice') return element.options.map((option) => option.id);
  if (element.type !== 'taxonomy') return [];
  return [...(model.taxonomyById.get(element.taxonomy_group.id)?.termById.keys() ?? [])];
}
