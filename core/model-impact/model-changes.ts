import {
  type ContentType,
  type ElementDefinition,
  type Field,
  isList,
  type ProjectModel,
  type ValueElement,
} from '../model/model.ts';

/** What readers and filters call a part of the model. */
export type CodenameKind = 'type' | 'element' | 'option' | 'taxonomy' | 'term' | 'location' | 'language';

export interface CodenameChange {
  readonly kind: CodenameKind;
  readonly before: string;
  /** Null: readers do not get it any more. */
  readonly after: string | null;
}

/** An element of some types, before and after a change; with snippets, of every type that has the snippet. */
export interface ChangedElement {
  readonly change: 'add' | 'remove' | 'change';
  /** As it will be, or was. */
  readonly element: ValueElement;
  readonly codename: string;
  readonly fields: readonly TypeField[];
  /** Rules that it did not have so. */
  readonly rules: readonly Rule[];
}

export interface TypeField {
  readonly type: ContentType;
  readonly field: Field;
}

/** An attribute that limits values. */
export const RULES = [
  'is_required',
  'mode',
  'maximum_text_length',
  'term_count_limit',
  'item_count_limit',
  'asset_count_limit',
  'allowed_content_types',
  'maximum_file_size',
  'maximum_image_size',
  'allowed_file_types',
  'allowed_image_types',
  'image_width_limit',
  'image_height_limit',
] as const;
export type Rule = (typeof RULES)[number];

/** A member that values of elements or items have: an option, a term, a location. */
export interface RemovedMember {
  readonly kind: 'option' | 'term' | 'location';
  readonly id: string;
  readonly name: string;
  readonly codename: string;
  /** The elements that may have it; none for locations. */
  readonly fields: readonly TypeField[];
}

export interface ModelChanges {
  readonly elements: readonly ChangedElement[];
  readonly removed: readonly RemovedMember[];
  readonly codenames: readonly CodenameChange[];
}

/** What differs between two states of the model, languages aside. */
export function modelChanges(before: ProjectModel, after: ProjectModel): ModelChanges {
  const elements = changedElements(before, after);
  return {
    elements,
    removed: [
      ...elements.flatMap((element) => removedOptions(before, element)),
      ...removedTerms(before, after),
      ...[...before.sitemapNodeById.values()]
        .filter(({ id }) => !after.sitemapNodeById.has(id))
        .map(({ id, name, codename }) => ({ kind: 'location' as const, id, name, codename, fields: [] })),
    ],
    codenames: changedCodenames(before, after),
  };
}

interface Pair {
  before?: Field;
  after?: Field;
  readonly fields: TypeField[];
}

function changedElements(before: ProjectModel, after: ProjectModel): ChangedElement[] {
  const pairs = new Map<string, Pair>();
  for (const type of before.types) {
    const changed = after.typeById.get(type.id);
    // The elements of a removed type go with its items.
    if (!changed) continue;
    for (const field of type.fields) {
      const now = changed.fieldByElement.get(field.element.id);
      if (!now || !isSame(field, now)) add(type, field, { before: field, ...(now && { after: now }) });
    }
    for (const field of changed.fields)
      if (!type.fieldByElement.has(field.element.id)) add(changed, field, { after: field });
  }
  function add(type: ContentType, field: Field, states: { readonly before?: Field; readonly after?: Field }) {
    const pair = pairs.get(field.element.id) ?? { ...states, fields: [] };
    pair.fields.push({ type, field });
    pairs.set(field.element.id, pair);
  }
  return [...pairs.values()].flatMap(({ before: old, after: now, fields }) => {
    const shown = now ?? old;
    if (!shown) return [];
    return {
      change: old && now ? ('change' as const) : now ? ('add' as const) : ('remove' as const),
      element: shown.element,
      codename: shown.codename,
      fields,
      rules: now ? newRules(old?.element, now.element) : [],
    };
  });
}

/** Guidelines and the group in the form are nothing to values and readers. */
function isSame(one: Field, other: Field): boolean {
  const shown = ({ element, codename }: Field) =>
    JSON.stringify({ ...element, codename, guidelines: null, content_group: null });
  return shown(one) === shown(other);
}

function newRules(before: ElementDefinition | undefined, after: ElementDefinition): Rule[] {
  const old = (before ?? {}) as Readonly<Partial<Record<Rule, unknown>>>;
  const now = after as Readonly<Partial<Record<Rule, unknown>>>;
  return RULES.filter(
    (rule) => limits(rule, now[rule]) && JSON.stringify(now[rule]) !== JSON.stringify(old[rule]),
  );
}

function limits(rule: Rule, value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === 'any') return false;
  if (rule === 'mode') return value === 'single';
  return !Array.isArray(value) || value.length > 0;
}

function removedOptions(before: ProjectModel, { element, fields, change }: ChangedElement): RemovedMember[] {
  const [first] = fields;
  if (element.type !== 'multiple_choice' || change !== 'change' || !first) return [];
  const old = before.typeById.get(first.type.id)?.fieldByElement.get(element.id)?.element;
  const kept = new Set(element.options.map(({ id }) => id));
  if (old?.type !== 'multiple_choice') return [];
  return old.options
    .filter(({ id }) => !kept.has(id))
    .map(({ id, name, codename }) => ({ kind: 'option', id, name, codename, fields }));
}

function removedTerms(before: ProjectModel, after: ProjectModel): RemovedMember[] {
  return before.taxonomies.flatMap((group) => {
    const now = after.taxonomyById.get(group.id);
    const gone = [...group.termById.values()].filter(({ id }) => !now?.termById.has(id));
    if (gone.length === 0) return [];
    const fields = before.types.flatMap((type) =>
      type.fields.flatMap((field) =>
        isList(field.element) &&
        field.element.type === 'taxonomy' &&
        field.element.taxonomy_group.id === group.id
          ? [{ type, field }]
          : [],
      ),
    );
    return gone.map(({ id, name, codename }) => ({ kind: 'term', id, name, codename, fields }));
  });
}

interface Coded {
  readonly id: string;
  readonly codename: string;
}

function changedCodenames(before: ProjectModel, after: ProjectModel): CodenameChange[] {
  const changes = new Map<string, CodenameChange>();
  const compare = (kind: CodenameKind, old: Iterable<Coded>, now: Iterable<Coded>) => {
    const codenames = new Map([...now].map(({ id, codename }) => [id, codename]));
    for (const { id, codename } of old) {
      const next = codenames.get(id) ?? null;
      if (next !== codename)
        changes.set(`${kind} ${codename} ${next}`, { kind, before: codename, after: next });
    }
  };
  compare('type', before.types, after.types);
  for (const type of before.types) {
    const fields = after.typeById.get(type.id)?.fields;
    if (!fields || fields === type.fields) continue;
    compare('element', type.fields.map(coded), fields.map(coded));
    for (const { element } of type.fields) {
      const now = after.typeById.get(type.id)?.fieldByElement.get(element.id)?.element;
      if (element.type === 'multiple_choice' && now?.type === 'multiple_choice')
        compare('option', element.options, now.options);
    }
  }
  compare('taxonomy', before.taxonomies, after.taxonomies);
  for (const group of before.taxonomies)
    compare('term', group.termById.values(), after.taxonomyById.get(group.id)?.termById.values() ?? []);
  compare('location', before.sitemapNodeById.values(), after.sitemapNodeById.values());
  return [...changes.values()];
}

function coded({ element, codename }: Field): Coded {
  return { id: element.id, codename };
}
