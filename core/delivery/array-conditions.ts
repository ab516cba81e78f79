import type { Field, ProjectModel } from '../model/model.ts';
import { textKey } from '../storage/index-key.ts';
import type { Condition, EmptyCondition, SlotCondition } from '../storage/page-plan.ts';
import { ARRAY_OPERATORS, BOTH } from './filter-tests.ts';
import type { NamedItems } from './named-items.ts';
import type { Filter } from './parse-query.ts';

/** Each member asked for once, however often it is named. */
export function arrayConditions(
  filters: readonly Filter[],
  slots: readonly number[],
  idsOf: (value: string) => readonly string[],
): Condition[] | null {
  const wanted = new Map<string, readonly string[]>();
  for (const { operator, values } of filters) {
    if (BOTH.has(operator)) continue;
    if (!ARRAY_OPERATORS.has(operator)) return null;
    const sets = operator === 'any' ? [[...new Set(values)].flatMap(idsOf)] : values.map(idsOf);
    for (const set of sets) {
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

/** The ids of members that filters name; they are unique, so those of differing elements can be asked for together. */
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
 * Options, terms and places can be taken out of the model without a row of the index being touched; who has
 * none but such is empty. So `chosen` slots are held against the `members` there are.
 */
export function emptiness(
  others: readonly number[],
  chosen: readonly number[],
  members: readonly string[],
  empty: boolean,
): Condition[] {
  const groups: (SlotCondition | EmptyCondition)[] = [];
  if (others.length > 0) groups.push({ on: 'empty', slots: others, empty, everywhere: chosen.length === 0 });
  if (chosen.length > 0) {
    const keys = [...new Set(members)].map(textKey);
    groups.push({ on: 'slots', slots: chosen, test: { kind: empty ? 'none-of' : 'one-of', keys } });
  }
  return empty || groups.length === 1 ? groups : [{ on: 'either', of: groups }];
}

/** Ids of all that an item could have chosen. */
export function membersOf(model: ProjectModel, { element }: Field): string[] {
  if (element.type === 'multiple_choice') return element.options.map((option) => option.id);
  if (element.type !== 'taxonomy') return [];
  return [...(model.taxonomyById.get(element.taxonomy_group.id)?.termById.keys() ?? [])];
}
