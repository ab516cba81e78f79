import { activeLanguages, CHANNEL_BIT, type Language, viewOf } from '../model/model.ts';
import { emptyKeyOf, slotOf } from '../read-model/index-entries.ts';
import { DELIVERED_EMPTY_RICH_TEXT, EMPTY_KEY, LANGUAGE_SPAN, textKey } from '../storage/index-key.ts';
import { USE } from '../storage/stale.ts';
import { permitsContent, seesItemsOf, visibleWhere } from '../transaction/content-access.ts';
import type { ProjectView } from '../transaction/project-view.ts';

/** Most entries that a part counts. */
export const COUNTED = 100;

/** What a part of a project's attention has found; `isMore`: more than `found` has. */
export interface Found<Entry> {
  readonly found: readonly Entry[];
  readonly isMore: boolean;
}

export interface NamedItem {
  readonly id: string;
  readonly name: string;
  readonly codename: string | null;
}

export interface ScheduledVariant {
  readonly item: NamedItem;
  readonly language: Language;
  readonly at: string;
}

/** Variants that are published until a time, the next ones first. */
export async function scheduledUntil(view: ProjectView, until: string): Promise<Found<ScheduledVariant>> {
  const permitted = conditionsOf(view, { type: 'i.type', language: 'v.language' });
  // The unary plus makes the planner walk the index of schedules.
  const rows = await view.tx.all<{
    id: string;
    name: string;
    codename: string;
    language: number;
    at: string;
  }>(
    `SELECT i.id AS id, i.name AS name, i.codename AS codename, v.language AS language, v.scheduled_to AS at
     FROM variant v JOIN item i ON i.number = v.item
     WHERE v.scheduled_to IS NOT NULL AND v.scheduled_to <= ? AND +i.project = ?${permitted}
     ORDER BY v.scheduled_to LIMIT ${COUNTED + 1}`,
    [until, view.project.number],
  );
  return bounded(
    rows.flatMap(({ language: number, at, ...item }) => {
      const language = view.model.languageByNumber.get(number);
      return language ? [{ item, language, at }] : [];
    }),
  );
}

export interface IncompleteVariant {
  readonly item: NamedItem;
  readonly language: Language;
  /** Names of the required elements without a value. */
  readonly elements: readonly string[];
}

/** Rows of the index that are read at most. */
const EMPTY_ROWS = 1000;
/** Index slots of one statement. */
const SLOTS = 500;

/**
 * Variants whose latest version lacks a value of a required element. The index has a row for each empty value, so this takes
 * one search for each required element and language, however many items there are.
 */
export async function incompleteVariants(view: ProjectView): Promise<Found<IncompleteVariant>> {
  const { model, tx } = view;
  const languages = activeLanguages(model);
  const required = new Map<
    number,
    { readonly name: string; readonly language: Language; readonly key: string }
  >();
  for (const type of model.types)
    for (const { field, element } of type.fields) {
      if (!element.is_required) continue;
      for (const language of languages) {
        if (!permitsContent(view, 'view-content', { type, language })) continue;
        required.set(slotOf(field, language), {
          name: element.name,
          language,
          key: emptyKeyOf(element.type),
        });
      }
    }
  const keys = [EMPTY_KEY, textKey(''), textKey(DELIVERED_EMPTY_RICH_TEXT)];
  const slots = [...required.keys()];
  const rows: { slot: number; key: string; item: number }[] = [];
  for (let at = 0; at < slots.length && rows.length < EMPTY_ROWS; at += SLOTS) {
    const among = tx.among('slot', slots.slice(at, at + SLOTS));
    rows.push(
      ...(await tx.all<{ slot: number; key: string; item: number }>(
        `SELECT slot, key, item FROM entry
         WHERE ${among.text} AND key IN (?, ?, ?) AND visible >= ${CHANNEL_BIT.latest} LIMIT ${EMPTY_ROWS}`,
        [among.parameter, ...keys],
      )),
    );
  }
  const variants = new Map<string, { item: number; language: Language; elements: string[] }>();
  for (const { slot, key, item } of rows) {
    const lacking = required.get(slot);
    // The text of another kind of element may be what is an empty value here.
    if (lacking === undefined || lacking.key !== key) continue;
    const id = `${item}:${slot % LANGUAGE_SPAN}`;
    const variant = variants.get(id) ?? { item, language: lacking.language, elements: [] };
    variant.elements.push(lacking.name);
    variants.set(id, variant);
  }
  const first = [...variants.values()].slice(0, COUNTED + 1);
  const items = await itemsByNumber(
    view,
    first.map(({ item }) => item),
  );
  const { found, isMore } = bounded(
    first.flatMap(({ item: number, ...variant }) => {
      const item = items.get(number);
      return item ? [{ item, ...variant }] : [];
    }),
  );
  return { found, isMore: isMore || rows.length >= EMPTY_ROWS };
}

export interface BrokenLink {
  readonly from: { readonly item: NamedItem; readonly language: Language };
  /** Without name and codename while the item is only expected, or where the person may not view it. */
  readonly to: { readonly id: string; readonly name: string | null; readonly codename: string | null };
}

export interface BrokenLinks extends Found<BrokenLink> {
  /** False where only the newest content was examined, and links to what was unpublished or archived lately. */
  readonly isComplete: boolean;
}

/** Public documents that are examined, over all types. */
const EXAMINED = 500;
const EXAMINED_TYPES = 50;
/** Newest changes among which items may have been unpublished or archived, and the most such items. */
const EXAMINED_CHANGES = 5000;
const EXAMINED_TARGETS = 200;
const LINKS = `${USE.linkedItem}, ${USE.hyperlink}`;
/** Readers get the document `d`: those in inactive languages are kept, for when the language is active again. */
export const PUBLIC = `d.visible IN (${CHANNEL_BIT.published}, ${CHANNEL_BIT.published | CHANNEL_BIT.latest})
  AND EXISTS (SELECT 1 FROM language l WHERE l.number = d.language AND l.active = 1)`;
/** The target `u` is not public in the language of the document `d`. */
const BROKEN = `NOT EXISTS (SELECT 1 FROM resolved r WHERE r.view = d.language * 2 AND r.item = u.target)`;

interface LinkRow {
  readonly item: number;
  readonly language: number;
  readonly target: number;
}

/** Links of public content to items that readers do not get. */
export async function brokenLinks(view: ProjectView): Promise<BrokenLinks> {
  const { model, tx } = view;
  const permitted = conditionsOf(view, { type: 'd.type', language: 'd.language' });
  const linking = model.types.filter(({ fields }) =>
    fields.some(({ element }) => element.type === 'modular_content' || element.type === 'rich_text'),
  );
  const examined = linking.slice(0, EXAMINED_TYPES);
  const share = Math.max(20, Math.floor(EXAMINED / Math.max(1, examined.length)));
  let isComplete = examined.length === linking.length;
  const links = new Map<string, LinkRow>();
  const add = (rows: readonly LinkRow[]) => {
    for (const row of rows) links.set(`${row.item}:${row.language}:${row.target}`, row);
  };
  for (const { number } of examined) {
    if (links.size > COUNTED) break;
    const last = await tx.get<{ number: number }>(
      'SELECT number FROM document WHERE type = ? ORDER BY number DESC LIMIT 1 OFFSET ?',
      [number, share],
    );
    if (last) isComplete = false;
    add(
      await tx.all<LinkRow>(
        `SELECT d.item AS item, d.language AS language, u.target AS target
         FROM document d CROSS JOIN uses u
         WHERE d.type = ? AND d.number > ? AND u.document = d.number AND u.kind IN (${LINKS}) AND ${PUBLIC} AND ${BROKEN}${permitted}
         LIMIT ${COUNTED + 1}`,
        [number, last?.number ?? 0],
      ),
    );
  }
  if (!isComplete && links.size <= COUNTED) add(await linksToWithdrawn(view, permitted));
  const rows = [...links.values()].slice(0, COUNTED + 1);
  const items = await itemsByNumber(
    view,
    rows.flatMap(({ item, target }) => [item, target]),
  );
  const found = rows.flatMap((row) => {
    const item = items.get(row.item);
    const language = view.model.languageByNumber.get(row.language);
    const to = items.get(row.target);
    return item && language && to ? [{ from: { item, language }, to: asVisible(view, to) }] : [];
  });
  return { ...bounded(found), isComplete };
}

/** Links to items that were withdrawn lately and are public in no language. */
async function linksToWithdrawn({ tx, project, model }: ProjectView, permitted: string): Promise<LinkRow[]> {
  const withdrawn = await tx.all<{ object: string }>(
    // Bounded by rows: a commit of an import has hundreds, so 2,000 commits were all three million of a large project (0.8 s).
    `SELECT object FROM (SELECT object, project, type, operation, sequence FROM change
       ORDER BY sequence DESC, part DESC LIMIT ${EXAMINED_CHANGES}) c
     WHERE project = ? AND type IN ('content_item', 'content_item_variant') AND operation IN ('archive', 'unpublish')
     ORDER BY sequence DESC
     LIMIT ${EXAMINED_TARGETS}`,
    [project.number],
  );
  if (withdrawn.length === 0) return [];
  const ids = tx.among('i.id', [...new Set(withdrawn.map(({ object }) => object.split('/')[0] ?? ''))]);
  const views = tx.among(
    'r.view',
    model.languages.map((language) => viewOf(language, 'published')),
  );
  const targets = await tx.all<{ number: number }>(
    `SELECT i.number AS number FROM item i WHERE i.project = ? AND ${ids.text}
       AND NOT EXISTS (SELECT 1 FROM resolved r WHERE ${views.text} AND r.item = i.number)`,
    [project.number, ids.parameter, views.parameter],
  );
  if (targets.length === 0) return [];
  const among = tx.among(
    'u.target',
    targets.map(({ number }) => number),
  );
  return tx.all<LinkRow>(
    `SELECT d.item AS item, d.language AS language, u.target AS target
     FROM uses u JOIN document d ON d.number = u.document
     WHERE u.kind IN (${LINKS}) AND ${among.text} AND ${PUBLIC}${permitted} LIMIT ${COUNTED + 1}`,
    [among.parameter],
  );
}

interface ItemOfType extends NamedItem {
  /** Storage number; null while the item is only expected. */
  readonly type: number | null;
}

function asVisible(view: ProjectView, { id, name, codename, type }: ItemOfType): BrokenLink['to'] {
  return seesItemsOf(view, type) ? { id, name, codename } : { id, name: null, codename: null };
}

async function itemsByNumber(
  { tx }: Pick<ProjectView, 'tx'>,
  numbers: readonly number[],
): Promise<Map<number, ItemOfType>> {
  if (numbers.length === 0) return new Map();
  const among = tx.among('number', [...new Set(numbers)]);
  const rows = await tx.all<ItemOfType & { readonly number: number }>(
    `SELECT number, id, name, codename, type FROM item WHERE ${among.text}`,
    [among.parameter],
  );
  return new Map(rows.map(({ number, ...item }) => [number, item]));
}

/** Further conditions: what the person may view. */
function conditionsOf(
  view: ProjectView,
  columns: { readonly type: string; readonly language: string },
): string {
  return visibleWhere(view, columns)
    .map((condition) => ` AND ${condition}`)
    .join('');
}

/** @param entries one more than `COUNTED`, if there are more */
export function bounded<Entry>(entries: readonly Entry[]): Found<Entry> {
  return { found: entries.slice(0, COUNTED), isMore: entries.length > COUNTED };
}
