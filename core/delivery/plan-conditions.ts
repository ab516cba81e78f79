import { ServiceError } from '../errors.ts';
import {
  type ContentType,
  type Field,
  isList,
  type Language,
  type ProjectModel,
  type ValueKind,
} from '../model/model.ts';
import { slotOf } from '../read-model/index-entries.ts';
import { textKey, VALUE_FLOOR } from '../storage/index-key.ts';
import { ASSET_BASE_MARK, type Condition, type SlotCondition } from '../storage/page-plan.ts';
import { arrayConditions, emptiness, membersNamed, membersOf } from './array-conditions.ts';
import { mergedTests, numericKey, PASSES_EMPTY, simpleTests } from './filter-tests.ts';
import { passesAll } from './merge-tests.ts';
import type { NamedItems } from './named-items.ts';
import { isOf, type Operator } from './operators.ts';
import type { Filter } from './parse-query.ts';

/** Of all attributes that are filtered by; 20 of them over 500 types in 50 languages each. */
const SLOT_LIMIT = 500_000;

/** What filters narrow a listing to. */
export interface Narrowed {
  readonly types: readonly ContentType[];
  readonly languages: readonly Language[];
  readonly conditions: readonly Condition[];
  /** Set when filters name the items themselves. */
  readonly codenames?: readonly string[];
}

/**
 * Plans the filters of a query. The grammar is closed: listed attributes, elements of the model, listed operators;
 * everything else matches nothing. Null: nothing can match.
 * @throws ServiceError queryTooExpensive
 */
export function planConditions(
  model: ProjectModel,
  chain: readonly Language[],
  filters: readonly Filter[],
  named: NamedItems,
): Narrowed | null {
  const narrowed = narrow(model, chain, filters);
  if (!narrowed) return null;
  if (filters.length === 0) return { ...narrowed, conditions: [] };
  const { types, languages } = narrowed;
  const conditions: Condition[] = [];
  let codenames: readonly string[] | undefined;
  const attributes = byAttribute(filters);
  refuseManySlots(types.length * languages.length * attributes.size);
  for (const same of attributes.values()) {
    const planned = planAttribute(model, types, languages, same, named);
    if (!planned) return null;
    conditions.push(...planned.conditions);
    if (!planned.codenames) continue;
    const both = codenames && new Set(codenames);
    codenames = both ? planned.codenames.filter((codename) => both.has(codename)) : planned.codenames;
  }
  if (codenames?.length === 0) return null;
  return { types, languages, conditions, ...(codenames ? { codenames } : {}) };
}

/** A plan lists the slots of each attribute: its fields in every language. Checked before they are listed. */
function refuseManySlots(slots: number): void {
  if (slots <= SLOT_LIMIT) return;
  throw new ServiceError(
    'queryTooExpensive',
    `The query's attributes have ${slots} fields over all types and languages; the limit is ${SLOT_LIMIT}. To stay below it, filter by fewer attributes, or add 'system.type' or 'system.language'.`,
  );
}

/** The types and languages that pass the filters on them; of types, those that have all filtered elements. */
function narrow(
  model: ProjectModel,
  chain: readonly Language[],
  filters: readonly Filter[],
): Pick<Narrowed, 'types' | 'languages'> | null {
  let types = model.types;
  let languages = chain;
  for (const { scope, name, operator, values } of filters) {
    const tests =
      scope === 'system' && (name === 'type' || name === 'language') && simpleTests(operator, values);
    if (name === 'type' && tests) types = types.filter((type) => passesAll(textKey(type.codename), tests));
    if (name === 'language' && tests)
      languages = languages.filter((language) => passesAll(textKey(language.codename), tests));
    if (tests === null) return null;
    if (scope === 'elements')
      types = types.filter((type) => applies(type.fieldByCodename.get(name), operator));
  }
  return types.length === 0 || languages.length === 0 ? null : { types, languages };
}

/** Filters of one attribute, in the order given. */
type SameAttribute = readonly [Filter, ...Filter[]];

function byAttribute(filters: readonly Filter[]): ReadonlyMap<string, SameAttribute> {
  const groups = new Map<string, [Filter, ...Filter[]]>();
  for (const filter of filters) {
    const key = `${filter.scope}.${filter.name}`;
    const group = groups.get(key);
    if (group) group.push(filter);
    else groups.set(key, [filter]);
  }
  return groups;
}

/** Ids that filters name. */
export function namedIds(filters: readonly Filter[]): string[] {
  return filters.flatMap(({ scope, name, operator, values }) =>
    scope === 'system' && name === 'id' && (operator === 'eq' || operator === 'in') ? values : [],
  );
}

/** Codenames that filters on linked items name. */
export function linkedCodenames(model: ProjectModel, filters: readonly Filter[]): string[] {
  const onLinkedItems = filters.filter(
    ({ scope, name, operator }) =>
      scope === 'elements' &&
      isOf('list', operator) &&
      model.types.some((type) => type.fieldByCodename.get(name)?.element.type === 'modular_content'),
  );
  return onLinkedItems.flatMap((filter) => filter.values);
}

interface PlannedAttribute {
  readonly conditions: readonly Condition[];
  readonly codenames?: readonly string[];
}

/** All filters of one attribute as few conditions: each is an index lookup on every candidate. */
function planAttribute(
  model: ProjectModel,
  types: readonly ContentType[],
  languages: readonly Language[],
  filters: SameAttribute,
  named: NamedItems,
): PlannedAttribute | null {
  const [{ scope, name }] = filters;
  const slots = (fields: readonly number[]) =>
    fields.flatMap((field) => languages.map((language) => slotOf(field, language)));
  const planned = (conditions: readonly Condition[] | null) => conditions && { conditions };
  const empty = emptyOf(filters);
  if (empty === null) return null;
  if (scope === 'elements') return planned(planElement(model, types, slots, filters, empty, named));
  switch (name) {
    case 'type':
    case 'language':
      return { conditions: [] };
    case 'codename':
    case 'id':
      return empty ? null : planName(name, filters, named);
    case 'name':
    case 'last_modified': {
      const own = slots(types.map((type) => type.systemFields[name]));
      const keyOf = (value: string) => textKey(name === 'last_modified' ? padFraction(value) : value);
      const tests = mergedTests(filters, keyOf);
      if (!tests) return null;
      return planned([
        ...tests.map((test) => ({ on: 'slots', slots: own, test }) as const),
        ...(empty === undefined ? [] : [{ on: 'empty', slots: own, empty } as const]),
      ]);
    }
    case 'sitemap_locations': {
      const own = slots(types.map((type) => type.systemFields.sitemap_locations));
      const ids = new Map<string, string[]>();
      for (const { codename, id } of model.sitemapNodeById.values())
        ids.set(codename, [...(ids.get(codename) ?? []), id]);
      const conditions = arrayConditions(filters, own, (value) => ids.get(value) ?? []);
      if (!conditions) return null;
      const members = [...model.sitemapNodeById.keys()];
      return planned([
        ...conditions,
        ...(empty === undefined ? [] : emptiness({ chosen: own }, members, empty)),
      ]);
    }
    default:
      return null;
  }
}

/** Whether the attribute must be empty. Undefined: no filter says so; null: filters contradict each other. */
function emptyOf(filters: SameAttribute): boolean | undefined | null {
  let empty: boolean | undefined;
  for (const { operator } of filters) {
    if (!isOf('either', operator)) continue;
    if (empty === !PASSES_EMPTY[operator]) return null;
    empty = PASSES_EMPTY[operator];
  }
  return empty;
}

/** `system.codename` and `system.id`, which every item has. */
function planName(
  name: 'codename' | 'id',
  filters: SameAttribute,
  named: NamedItems,
): PlannedAttribute | null {
  // Codenames are compared whole, so their keys are never cut.
  const tests = mergedTests(filters, name === 'codename' ? (value) => VALUE_FLOOR + value : textKey);
  if (!tests) return null;
  const [first] = tests;
  if (first?.kind !== 'one-of') return { conditions: tests.map((test) => ({ on: name, test })) };
  const values = first.keys.map((key) => key.slice(VALUE_FLOOR.length));
  return {
    conditions: [],
    codenames: name === 'codename' ? values : values.flatMap((id) => named.codenameOf.get(id) ?? []),
  };
}

function planElement(
  model: ProjectModel,
  types: readonly ContentType[],
  slots: (fields: readonly number[]) => number[],
  filters: SameAttribute,
  empty: boolean | undefined,
  named: NamedItems,
): Condition[] | null {
  const [{ name }] = filters;
  const fields = types.flatMap((type) => type.fieldByCodename.get(name) ?? []);
  const numbers = (some: readonly Field[]) => slots(some.map((field) => field.field));
  const values = filters.some(({ operator }) => isOf('list', operator))
    ? arrayConditions(filters, numbers(fields), membersNamed(model, fields, filters, named))
    : valueConditions(filters, fields, numbers, (value) => textKey(withoutAssetBases(model, value)));
  if (!values || empty === undefined) return values;
  const ofKind = (...kinds: readonly ValueKind[]) =>
    fields.filter(({ element }) => kinds.includes(element.type));
  const chosen = ofKind('multiple_choice', 'taxonomy');
  const richText = ofKind('rich_text');
  const others = fields.filter((field) => !chosen.includes(field) && !richText.includes(field));
  const slotsOf = { chosen: numbers(chosen), richText: numbers(richText), others: numbers(others) };
  const members = chosen.flatMap((field) => membersOf(model, field));
  return [...values, ...emptiness(slotsOf, members, empty)];
}

/** A document has the element in one kind only, so the kinds' tests are merged each for itself. */
function valueConditions(
  filters: SameAttribute,
  fields: readonly Field[],
  numbers: (some: readonly Field[]) => number[],
  richTextKey: (value: string) => string,
): Condition[] | null {
  const isNumeric = ({ element }: Field) => element.type === 'number';
  const isRichText = ({ element }: Field) => element.type === 'rich_text';
  const kinds = [
    { own: fields.filter((field) => !isNumeric(field) && !isRichText(field)), keyOf: textKey },
    { own: fields.filter(isRichText), keyOf: richTextKey },
    { own: fields.filter(isNumeric), keyOf: numericKey },
  ].filter(({ own }) => own.length > 0);
  const included: SlotCondition[] = [];
  const excluded: SlotCondition[] = [];
  let matched = 0;
  for (const { own, keyOf } of kinds) {
    const tests = mergedTests(filters, keyOf);
    if (!tests) continue;
    matched += 1;
    const slots = numbers(own);
    for (const test of tests)
      (test.kind === 'none-of' ? excluded : included).push({ on: 'slots', slots, test });
  }
  if (matched === 0) return null;
  // Exclusion must hold for every kind, inclusion for the one the document has.
  return included.length > 1 ? [{ on: 'either', of: included }, ...excluded] : [...included, ...excluded];
}

/** An element filter only ever matches types that have the element, of a kind the operator is for. */
function applies(field: Field | undefined, operator: Operator): boolean {
  if (!field) return false;
  return isOf('either', operator) || isList(field.element) === isOf('list', operator);
}

/**
 * A rich text as it is indexed: with a mark instead of the base of asset URLs, which depends on the request. An address that an
 * editor typed is none of them.
 */
function withoutAssetBases({ project }: ProjectModel, richText: string): string {
  const before = '(?<=<img src="|<a data-asset-id="[\\da-f-]{36}" href=")';
  const base = new RegExp(`${before}https?://[^"\\s]*(?=/${project.id}/[\\da-f-]{36}/)`, 'g');
  return richText.replaceAll(base, String.fromCharCode(ASSET_BASE_MARK));
}

/** Delivered times carry 7 fraction digits; a whole time given with fewer means the same instant. */
function padFraction(value: string): string {
  const match = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,7}))?Z$/.exec(value);
  return match ? `${match[1]}.${(match[2] ?? '').padEnd(7, '0')}Z` : value;
}
