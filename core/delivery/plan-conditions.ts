import type { ContentType, Field, Language, ProjectModel } from '../content/model.ts';
import { slotOf } from '../publishing/index-entries.ts';
import { numberKey, textKey } from '../publishing/index-key.ts';
import type { Condition, EmptyCondition, KeyTest, SlotCondition } from '../storage/page-plan.ts';
import type { Filter, Operator } from './parse-query.ts';

/** What filters narrow a listing to. */
export interface Narrowed {
  readonly types: readonly ContentType[];
  readonly languages: readonly Language[];
  readonly conditions: readonly Condition[];
  /** Set when filters name the items themselves. */
  readonly codenames?: readonly string[];
}

/** Items that filters name, looked up before planning. */
export interface NamedItems {
  readonly idOf: ReadonlyMap<string, string>;
  readonly codenameOf: ReadonlyMap<string, string>;
}

const ARRAY_OPERATORS: ReadonlySet<Operator> = new Set<Operator>(['contains', 'any', 'all']);
const BOTH: ReadonlySet<Operator> = new Set<Operator>(['empty', 'nempty']);

/**
 * Holds filters against the model. The grammar is closed: listed attributes, elements of the model, listed
 * operators; whatever else is asked for matches nothing. Null stands for "nothing can match".
 */
export function planConditions(
  model: ProjectModel,
  chain: readonly Language[],
  filters: readonly Filter[],
  named: NamedItems,
): Narrowed | null {
  let types = model.types;
  let languages = chain;
  for (const { scope, name, operator, values } of filters) {
    if (scope === 'system' && name === 'type')
      types = types.filter((type) => holds(type.codename, operator, values));
    if (scope === 'system' && name === 'language')
      languages = languages.filter((language) => holds(language.codename, operator, values));
    if (scope === 'elements')
      types = types.filter((type) => applies(type.fieldByCodename.get(name), operator));
  }
  if (types.length === 0 || languages.length === 0) return null;
  const conditions: Condition[] = [];
  let codenames: readonly string[] | undefined;
  for (const filter of filters) {
    const own = codenamesOf(filter, named);
    if (own) {
      const both = codenames && new Set(own);
      codenames = codenames && both ? codenames.filter((codename) => both.has(codename)) : own;
      continue;
    }
    const planned = planFilter(model, types, languages, filter, named);
    if (!planned) return null;
    conditions.push(...planned);
  }
  if (codenames?.length === 0) return null;
  return { types, languages, conditions, ...(codenames ? { codenames } : {}) };
}

/** The items a filter names one by one; undefined when it does something else. */
function codenamesOf({ scope, name, operator, values }: Filter, named: NamedItems): string[] | undefined {
  if (scope !== 'system' || (operator !== 'eq' && operator !== 'in')) return undefined;
  if (name === 'codename') return [...new Set(values)];
  return name === 'id' ? values.flatMap((id) => named.codenameOf.get(id) ?? []) : undefined;
}

/** Ids that filters name. */
export function namedIds(filters: readonly Filter[]): string[] {
  return filters.flatMap(({ scope, name, operator, values }) =>
    scope === 'system' && name === 'id' && (operator === 'eq' || operator === 'in') ? values : [],
  );
}

/** Codenames that filters on linked items name. */
export function linkedCodenames(model: ProjectModel, filters: readonly Filter[]): string[] {
  const asked = filters.filter(
    ({ scope, name, operator }) =>
      scope === 'elements' &&
      ARRAY_OPERATORS.has(operator) &&
      model.types.some((type) => type.fieldByCodename.get(name)?.element.type === 'modular_content'),
  );
  return asked.flatMap((filter) => filter.values);
}

function planFilter(
  model: ProjectModel,
  types: readonly ContentType[],
  languages: readonly Language[],
  filter: Filter,
  named: NamedItems,
): Condition[] | null {
  const { scope, name, operator, values } = filter;
  const slots = (fields: readonly number[]) =>
    fields.flatMap((field) => languages.map((language) => slotOf(field, language)));
  if (scope === 'elements') return planElement(model, types, slots, filter, named);
  switch (name) {
    case 'type':
    case 'language':
      return [];
    case 'codename':
    case 'id': {
      if (operator === 'empty' || ARRAY_OPERATORS.has(operator)) return null;
      return operator === 'nempty' ? [] : [{ on: name, test: simpleTest(operator, values.map(textKey)) }];
    }
    case 'name':
    case 'last_modified': {
      const own = slots(types.map((type) => type.systemFields[name]));
      if (BOTH.has(operator)) return [{ on: 'empty', slots: own, empty: operator === 'empty' }];
      if (ARRAY_OPERATORS.has(operator)) return null;
      const keys = values.map((value) => textKey(name === 'last_modified' ? padFraction(value) : value));
      return [{ on: 'slots', slots: own, test: simpleTest(operator, keys) }];
    }
    case 'sitemap_locations': {
      const own = slots(types.map((type) => type.systemFields.sitemap_locations));
      if (BOTH.has(operator))
        return emptiness([], own, [...model.sitemapNodeById.keys()], operator === 'empty');
      const idsOf = (codename: string) =>
        [...model.sitemapNodeById.values()]
          .filter((node) => node.codename === codename)
          .map((node) => node.id);
      return arrayConditions(operator, own, values.map(idsOf));
    }
    default:
      return null;
  }
}

function planElement(
  model: ProjectModel,
  types: readonly ContentType[],
  slots: (fields: readonly number[]) => number[],
  { name, operator, values }: Filter,
  named: NamedItems,
): Condition[] | null {
  const fields = types.flatMap((type) => type.fieldByCodename.get(name) ?? []);
  const numbers = (some: readonly Field[]) => slots(some.map((field) => field.field));
  if (BOTH.has(operator)) {
    const chosen = fields.filter(
      ({ element }) => element.type === 'multiple_choice' || element.type === 'taxonomy',
    );
    const others = fields.filter((field) => !chosen.includes(field));
    const members = chosen.flatMap((field) => membersOf(model, field));
    return emptiness(numbers(others), numbers(chosen), members, operator === 'empty');
  }
  if (ARRAY_OPERATORS.has(operator)) {
    // Ids are unique, so the members of differing elements can be asked for together.
    const memberIds = (value: string) => fields.flatMap((field) => idsOfMember(model, field, value, named));
    return arrayConditions(operator, numbers(fields), values.map(memberIds));
  }
  const numeric = fields.filter((field) => field.element.type === 'number');
  const textual = fields.filter((field) => field.element.type !== 'number');
  const groups: SlotCondition[] = [];
  if (textual.length > 0)
    groups.push({ on: 'slots', slots: numbers(textual), test: simpleTest(operator, values.map(textKey)) });
  const numericKeys = values.flatMap((value) => parseNumber(value) ?? []).map(numberKey);
  const complete =
    operator === 'in' || operator === 'nin' || operator === 'neq' || numericKeys.length === values.length;
  if (numeric.length > 0 && complete)
    groups.push({ on: 'slots', slots: numbers(numeric), test: simpleTest(operator, numericKeys) });
  if (groups.length === 0) return null;
  // Exclusion must hold for every kind, inclusion for the one the document has.
  const none = operator === 'neq' || operator === 'nin';
  return none || groups.length === 1 ? groups : [{ on: 'either', of: groups }];
}

/**
 * Options, terms and places can be taken out of the model without a row of the index being touched; who has
 * none but such is empty. So `chosen` slots are held against the `members` there are.
 */
function emptiness(
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
function membersOf(model: ProjectModel, { element }: Field): string[] {
  if (element.type === 'multiple_choice') return element.options.map((option) => option.id);
  if (element.type !== 'taxonomy') return [];
  return [...(model.taxonomyById.get(element.taxonomy_group.id)?.termById.keys() ?? [])];
}

function arrayConditions(
  operator: Operator,
  slots: readonly number[],
  idsOfValues: readonly (readonly string[])[],
): Condition[] | null {
  const oneOf = (ids: readonly string[]): Condition => ({
    on: 'slots',
    slots,
    test: { kind: 'one-of', keys: ids.map(textKey) },
  });
  if (!ARRAY_OPERATORS.has(operator)) return null;
  if (operator === 'any') {
    const ids = [...new Set(idsOfValues.flat())];
    return ids.length === 0 ? null : [oneOf(ids)];
  }
  if (idsOfValues.some((ids) => ids.length === 0)) return null;
  return idsOfValues.map(oneOf);
}

function idsOfMember(model: ProjectModel, field: Field, value: string, named: NamedItems): string[] {
  const { element } = field;
  switch (element.type) {
    case 'multiple_choice':
      return element.options.filter((option) => option.codename === value).map((option) => option.id);
    case 'modular_content': {
      const id = named.idOf.get(value);
      return id === undefined ? [] : [id];
    }
    case 'taxonomy':
      return [model.taxonomyById.get(element.taxonomy_group.id)?.termByCodename.get(value)?.id].filter(
        (id) => id !== undefined,
      );
    case 'asset':
      return [value];
    default:
      return [];
  }
}

function isArray(field: Field): boolean {
  return ['multiple_choice', 'modular_content', 'asset', 'taxonomy'].includes(field.element.type);
}

/** An element filter only ever matches types that have the element, of a kind the operator is for. */
function applies(field: Field | undefined, operator: Operator): boolean {
  if (!field) return false;
  return BOTH.has(operator) || isArray(field) === ARRAY_OPERATORS.has(operator);
}

function simpleTest(operator: Operator, keys: readonly string[]): KeyTest {
  const [first = '', second = ''] = keys;
  switch (operator) {
    case 'neq':
    case 'nin':
      return { kind: 'none-of', keys };
    case 'lt':
    case 'lte':
      return { kind: 'range', to: { key: first, inclusive: operator === 'lte' } };
    case 'gt':
    case 'gte':
      return { kind: 'range', from: { key: first, inclusive: operator === 'gte' } };
    case 'range':
      return {
        kind: 'range',
        from: { key: first, inclusive: true },
        to: { key: second, inclusive: true },
      };
    default:
      return { kind: 'one-of', keys };
  }
}

/** The same tests on a value at hand. */
function holds(value: string, operator: Operator, values: readonly string[]): boolean {
  const [first = '', second = ''] = values;
  switch (operator) {
    case 'eq':
    case 'in':
      return values.includes(value);
    case 'neq':
    case 'nin':
      return !values.includes(value);
    case 'lt':
      return value < first;
    case 'lte':
      return value <= first;
    case 'gt':
      return value > first;
    case 'gte':
      return value >= first;
    case 'range':
      return value >= first && value <= second;
    case 'nempty':
      return true;
    default:
      return false;
  }
}

function parseNumber(text: string): number | undefined {
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text.trim()) ? Number(text) : undefined;
}

/** Delivered times carry 7 fraction digits; a whole time given with fewer means the same instant. */
function padFraction(value: string): string {
  const match = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,7}))?Z$/.exec(value);
  return match ? `${match[1]}.${(match[2] ?? '').padEnd(7, '0')}Z` : value;
}
