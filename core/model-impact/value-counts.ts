import {
  activeLanguages,
  CHANNEL_BIT,
  type ContentType,
  type CountLimit,
  type Language,
  type ProjectModel,
} from '../model/model.ts';
import { emptyKeyOf, slotOf } from '../read-model/index-entries.ts';
import { EMPTY_KEY, textKey } from '../storage/index-key.ts';
import type { SqlValue } from '../storage/sql.ts';
import { USE } from '../storage/stale.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import type { ChangedElement, RemovedMember, Rule, TypeField } from './model-changes.ts';

/**
 * Counts of items by the index of the compiled documents, in active languages. All of them read one index alone, so they take
 * some ten milliseconds for 100,000 items.
 */

const LATEST = `e.visible >= ${CHANNEL_BIT.latest}`;

/** Items that have a value of the element, in the latest or the published version. */
export function countWithValue(view: ProjectView, { element, fields }: ChangedElement): Promise<number> {
  const within = slots(view, fields);
  return items(view, `${within.text} AND e.key <> ?`, [...within.parameters, emptyKeyOf(element.type)]);
}

/** Items of the types of an element. @param only those of some, by number */
export function countOfTypes(
  view: ProjectView,
  types: readonly ContentType[],
  only?: readonly number[],
): Promise<number> {
  const names = among(view, nameSlots(view, types), only);
  return items(view, `${names.text} AND ${LATEST}`, names.parameters);
}

/** Items with each of the members, by id. */
export async function countWithMembers(
  view: ProjectView,
  members: readonly RemovedMember[],
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const { model, tx } = view;
  const active = activeLanguages(model);
  for (const kind of ['option', 'term', 'location'] as const) {
    const some = members.filter((member) => member.kind === kind);
    if (some.length === 0) continue;
    const all = new Set(
      kind === 'location'
        ? model.types.flatMap(({ systemFields }) =>
            active.map((language) => slotOf(systemFields.sitemap_locations, language)),
          )
        : some.flatMap(({ fields }) =>
            fields.flatMap(({ field }) => active.map((language) => slotOf(field.field, language))),
          ),
    );
    const within = tx.among('e.slot', [...all]);
    const keys = tx.among(
      'e.key',
      some.map(({ id }) => textKey(id)),
    );
    const rows = await tx.all<{ key: string; items: number }>(
      `SELECT e.key AS key, count(DISTINCT e.item) AS items FROM entry e
       WHERE ${within.text} AND ${keys.text} GROUP BY e.key`,
      [within.parameter, keys.parameter],
    );
    const found = new Map(rows.map(({ key, items }) => [key, items]));
    for (const { id } of some) counts.set(id, found.get(textKey(id)) ?? 0);
  }
  return counts;
}

/**
 * Items whose latest version breaks a rule that the index can answer; undefined for any other. Linked items that do not exist
 * yet are none, as for readers.
 * @param only of these items, by number
 */
export function countBreaking(
  view: ProjectView,
  after: ProjectModel,
  changed: ChangedElement,
  rule: Rule,
  only?: readonly number[],
): Promise<number> | undefined {
  const { element, fields } = changed;
  const within = slots(view, fields, only);
  const isNew = changed.change === 'add';
  const types = fields.map(({ type }) => type);
  const counted = (limit: CountLimit): Promise<number> => {
    if (isNew) return breaksWithNone(limit) ? countOfTypes(view, types, only) : Promise.resolve(0);
    const operator = { at_most: '>', at_least: '<', exactly: '<>' }[limit.condition];
    return countGroups(view, `sum(CASE WHEN e.key = '${EMPTY_KEY}' THEN 0 ELSE 1 END) ${operator} ?`, [
      within,
      limit.value,
    ]);
  };
  if (rule === 'is_required') {
    if (isNew) return countOfTypes(view, types, only);
    return items(view, `${within.text} AND e.key = ? AND ${LATEST}`, [
      ...within.parameters,
      emptyKeyOf(element.type),
    ]);
  }
  if (rule === 'mode' && element.type === 'multiple_choice') {
    const options = new Set(element.options.map(({ id }) => textKey(id)));
    const { text, parameter } = view.tx.among('e.key', [...options]);
    const kept = { text: `${within.text} AND ${text}`, parameters: [...within.parameters, parameter] };
    return countGroups(view, 'count(*) > ?', [kept, 1]);
  }
  if (rule === 'term_count_limit' && element.type === 'taxonomy' && element.term_count_limit)
    return counted(element.term_count_limit);
  if (rule === 'item_count_limit' && element.type === 'modular_content' && element.item_count_limit)
    return counted(element.item_count_limit);
  // Of assets the index has names of files, which several may have.
  if (rule === 'asset_count_limit' && element.type === 'asset' && element.asset_count_limit && isNew)
    return counted(element.asset_count_limit);
  if (rule === 'allowed_content_types' && element.type === 'modular_content') {
    const allowed = view.tx.among(
      't.type',
      (element.allowed_content_types ?? []).flatMap(({ id }) => after.typeById.get(id)?.number ?? []),
    );
    return one(
      view,
      `SELECT count(DISTINCT e.item) AS items FROM entry e JOIN item t ON t.project = ? AND t.id = substr(e.key, 2)
       WHERE ${within.text} AND e.key <> '${EMPTY_KEY}' AND ${LATEST}
         AND t.type IS NOT NULL AND t.archived IS NULL AND NOT (${allowed.text})`,
      [view.project.number, ...within.parameters, allowed.parameter],
    );
  }
  return undefined;
}

/** Items with components of the types. */
export async function countWithComponents(view: ProjectView, types: readonly ContentType[]): Promise<number> {
  const { model, tx } = view;
  const targets = tx.among(
    'u.target',
    types.map(({ number }) => number),
  );
  const active = tx.among(
    'd.language',
    activeLanguages(model).map(({ number }) => number),
  );
  return one(
    view,
    `SELECT count(DISTINCT d.item) AS items FROM uses u JOIN document d ON d.number = u.document
     WHERE u.kind = ${USE.componentType} AND ${targets.text} AND ${active.text}`,
    [targets.parameter, active.parameter],
  );
}

/** Of the slots of the names of the types: each document has one. */
export function nameSlots(
  { model, tx }: ProjectView,
  types: readonly ContentType[],
  languages: readonly Language[] = activeLanguages(model),
) {
  return tx.among(
    'e.slot',
    types.flatMap(({ systemFields }) => languages.map((language) => slotOf(systemFields.name, language))),
  );
}

function slotsOf({ model }: ProjectView, fields: readonly TypeField[]): number[] {
  return fields.flatMap(({ field }) =>
    activeLanguages(model).map((language) => slotOf(field.field, language)),
  );
}

function slots(view: ProjectView, fields: readonly TypeField[], only?: readonly number[]): Condition {
  return among(view, view.tx.among('e.slot', slotsOf(view, fields)), only);
}

/** Rows in some slots, and of some items alone. */
function among(
  { tx }: ProjectView,
  inSlots: { readonly text: string; readonly parameter: SqlValue },
  only: readonly number[] | undefined,
): Condition {
  if (only === undefined) return { text: inSlots.text, parameters: [inSlots.parameter] };
  const { text, parameter } = tx.among('e.item', only);
  return { text: `${inSlots.text} AND ${text}`, parameters: [inSlots.parameter, parameter] };
}

function breaksWithNone({ condition, value }: CountLimit): boolean {
  return condition !== 'at_most' && value > 0;
}

interface Condition {
  readonly text: string;
  readonly parameters: readonly SqlValue[];
}

/** Items with a variant whose entries together have a property. */
function countGroups(
  view: ProjectView,
  having: string,
  [within, value]: readonly [Condition, number],
): Promise<number> {
  return one(
    view,
    `SELECT count(DISTINCT g.item) AS items FROM (
       SELECT e.item AS item, e.document AS document FROM entry e
       WHERE ${within.text} AND ${LATEST}
       GROUP BY e.document, e.item HAVING ${having}) g`,
    [...within.parameters, value],
  );
}

function items(view: ProjectView, where: string, parameters: readonly SqlValue[]): Promise<number> {
  return one(view, `SELECT count(DISTINCT e.item) AS items FROM entry e WHERE ${where}`, parameters);
}

async function one(view: ProjectView, text: string, parameters: readonly SqlValue[]): Promise<number> {
  const row = await view.tx.get<{ items: number }>(text, parameters);
  return row?.items ?? 0;
}
