import { changedVariant } from '../content/changed-variant.ts';
import { findItem } from '../content/items.ts';
import { unscheduleVariants } from '../content/unschedule-variants.ts';
import { WORKFLOW, type WorkflowStep, workflowStepOf } from '../content/workflow.ts';
import type { Sql } from '../storage/sql.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import { eachInTurns } from '../turns/each-in-turns.ts';
import { inPieces } from '../turns/in-pieces.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';
import { type ActObject, readVariants } from './act-targets.ts';
import { type LocatedVariant, recordVariant } from './locate-variant.ts';
import { scheduleAgain } from './schedule.ts';

/** An object with its state before and after an act, each as JSON of a `Snapshot`. */
export interface ActedObject extends ActObject {
  readonly before: string;
  readonly after: string;
}

/** What acts change of an item and its variants. Versions are never changed, so their numbers are enough. */
interface Snapshot {
  readonly archived: string | null;
  /** Of a whole item. */
  readonly locations?: string;
  /** One, or all of a whole item. */
  readonly variants: readonly VariantSnapshot[];
}

interface VariantSnapshot {
  readonly number: number;
  readonly language: number;
  readonly draft: number | null;
  readonly published: number | null;
  readonly was_published: number;
  readonly scheduled_to: string | null;
  readonly schedule: string | null;
  readonly archived: string | null;
}

/** The states of objects as JSON, in their order. */
export async function takeSnapshots(sql: Sql, objects: readonly ActObject[]): Promise<string[]> {
  const numbers = new Set(objects.map(({ item }) => item));
  const items = await inPieces(numbers, (some) => {
    const among = sql.among('number', some);
    return sql.all<{ number: number; archived: string | null; locations: string }>(
      `SELECT number, archived, sitemap_locations AS locations FROM item WHERE ${among.text}`,
      [among.parameter],
    );
  });
  const rows = await readVariants<VariantSnapshot & { item: number }>(
    sql,
    objects,
    'item, number, language, draft, published, was_published, scheduled_to, schedule, archived',
  );
  const itemByNumber = new Map(items.map((item) => [item.number, item]));
  const variants = new Map<number, Map<number, VariantSnapshot>>();
  await eachInTurns(rows, ({ item, ...variant }) => {
    const ofItem = variants.get(item) ?? new Map<number, VariantSnapshot>();
    variants.set(item, ofItem.set(variant.language, variant));
  });
  const snapshots: string[] = [];
  for (const { item: number, language } of objects) {
    if (isTurnLong()) await nextTurn();
    const item = itemByNumber.get(number);
    const all = variants.get(number);
    const one = language === null ? undefined : all?.get(language);
    const snapshot: Snapshot = {
      archived: item?.archived ?? null,
      ...(language === null && { locations: item?.locations ?? '[]' }),
      variants: language === null ? [...(all?.values() ?? [])] : one ? [one] : [],
    };
    snapshots.push(JSON.stringify(snapshot));
  }
  return snapshots;
}

/**
 * Gives objects the states that they had before an act; one that changed since stays as it is.
 * @returns how many stayed
 */
export async function takeBack(
  transaction: ProjectTransaction,
  objects: readonly ActedObject[],
): Promise<number> {
  const current = await takeSnapshots(transaction.tx, objects);
  const versions = await existingVersions(transaction.tx, objects);
  const scheduled = new Map<string, { at: string; schedule: string | null; located: LocatedVariant[] }>();
  let kept = 0;
  // The last first: an item is archived with its last variant.
  for (const [index, object] of [...objects.entries()].reverse()) {
    const before: Snapshot = JSON.parse(object.before);
    const after: Snapshot = JSON.parse(object.after);
    const isAsItWas = before.variants.every(({ draft, published }) =>
      [draft, published].every((version) => version === null || versions.has(version)),
    );
    // What was taken back just now may have restored the item.
    const isAsLeft =
      current[index] === object.after || (await takeSnapshots(transaction.tx, [object]))[0] === object.after;
    if (!isAsLeft || !isAsItWas) {
      kept += 1;
      continue;
    }
    await restoreItemState(transaction, object.item, before, after);
    for (const [at, variant] of before.variants.entries()) {
      const now = after.variants[at];
      if (now?.number !== variant.number) continue;
      const located = await restoreVariantState(transaction, object.item, variant, now);
      if (!located || variant.scheduled_to === null || variant.schedule === now.schedule) continue;
      // Its time has passed: it would be published.
      if (variant.scheduled_to <= transaction.now) kept += 1;
      else {
        const { schedule, scheduled_to: at } = variant;
        const group = scheduled.get(schedule ?? '') ?? { at, schedule, located: [] };
        group.located.push(located);
        scheduled.set(schedule ?? '', group);
      }
    }
  }
  for (const { located, ...former } of scheduled.values()) await scheduleAgain(transaction, located, former);
  return kept;
}

/** Retention may have removed versions since. */
async function existingVersions(sql: Sql, objects: readonly ActedObject[]): Promise<ReadonlySet<number>> {
  const wanted = objects.flatMap(({ before }) =>
    (JSON.parse(before) as Snapshot).variants.flatMap(({ draft, published }) => [
      ...(draft === null ? [] : [draft]),
      ...(published === null ? [] : [published]),
    ]),
  );
  const rows = await inPieces(new Set(wanted), (some) => {
    const among = sql.among('number', some);
    return sql.all<{ number: number }>(`SELECT number FROM version WHERE ${among.text}`, [among.parameter]);
  });
  return new Set(rows.map(({ number }) => number));
}

async function restoreItemState(
  transaction: ProjectTransaction,
  number: number,
  before: Snapshot,
  after: Snapshot,
): Promise<void> {
  const { tx } = transaction;
  const isMoved = before.locations !== after.locations;
  if (before.archived === after.archived && !isMoved) return;
  const row = await tx.get<{ id: string; archived: string | null }>(
    'SELECT id, archived FROM item WHERE number = ?',
    [number],
  );
  if (!row) return;
  // Another variant of the item may have been taken back before.
  if (row.archived === before.archived && !isMoved) return;
  transaction.touchItem(number);
  if (row.archived !== before.archived) {
    await tx.run('UPDATE item SET archived = ? WHERE number = ?', [before.archived, number]);
    const isPublic = before.variants.some(
      ({ published, archived }) => published !== null && archived === null,
    );
    const restored = isPublic ? 'restore_publish' : 'restore';
    transaction.change('content_item', before.archived === null ? restored : 'archive', row.id, []);
  }
  if (isMoved) {
    await tx.run('UPDATE item SET sitemap_locations = ?, last_modified = ? WHERE number = ?', [
      before.locations ?? '[]',
      transaction.now,
      number,
    ]);
    transaction.change('content_item', 'upsert', row.id, []);
  }
}

/** @returns the variant as it is again, without its schedule; undefined where its item is archived again */
async function restoreVariantState(
  transaction: ProjectTransaction,
  item: number,
  before: VariantSnapshot,
  now: VariantSnapshot,
): Promise<LocatedVariant | undefined> {
  const { tx, model } = transaction;
  const language = model.languageByNumber.get(before.language);
  const row = await tx.get<{ id: string; archived: string | null }>(
    'SELECT id, archived FROM item WHERE number = ?',
    [item],
  );
  if (!row || !language) return undefined;
  if (row.archived !== null) {
    if (before.archived !== now.archived)
      await tx.run('UPDATE variant SET archived = ? WHERE number = ?', [before.archived, before.number]);
    return undefined;
  }
  const found = { item: await findItem(transaction, { id: row.id }), language };
  if (now.scheduled_to !== null && now.schedule !== before.schedule) {
    await unscheduleVariants(transaction, item, language.number);
    recordVariant(transaction, { ...found, variant: { ...now, draft_elements: null } }, 'cancel_schedule');
  }
  await tx.run(
    'UPDATE variant SET draft = ?, published = ?, was_published = ?, archived = ? WHERE number = ?',
    [before.draft, before.published, before.was_published, before.archived, before.number],
  );
  const operation = operationOf(before, now);
  if (operation)
    transaction.change('content_item_variant', operation, `${row.id}/${language.id}`, [], {
      ...changedVariant(found.item, language),
      moved: { from: stepOf(now).id, to: stepOf(before).id },
    });
  if (operation === 'upsert') transaction.touchVersions(item, 'latest');
  else if (operation) transaction.touchItem(item);
  return { ...found, variant: { ...before, scheduled_to: null, draft_elements: null } };
}

/** Without the schedule, which is canceled before, or comes afterwards. */
function stepOf({ draft, archived }: VariantSnapshot): WorkflowStep {
  return archived === null ? workflowStepOf({ draft, scheduledTo: null }) : WORKFLOW.archived;
}

/** How the change log calls the way back; undefined where only the schedule differs. */
function operationOf(before: VariantSnapshot, now: VariantSnapshot): string | undefined {
  if (before.archived !== now.archived) {
    if (before.archived !== null) return 'archive';
    return before.published === null ? 'restore' : 'restore_publish';
  }
  if (before.published !== now.published) return before.published === null ? 'unpublish' : 'publish';
  return before.draft === now.draft ? undefined : 'upsert';
}
