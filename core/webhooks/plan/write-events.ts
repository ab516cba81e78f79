import type { Transaction } from '../../storage/ports.ts';
import type { SqlValue } from '../../storage/sql.ts';
import type { CommitParticipant, ProjectTransaction } from '../../transaction/project-transaction.ts';
import { type EventOperation, type EventType, kindOf } from '../event-kinds.ts';
import { type AffectedItem, ITEMS_LIMIT, type MovedItem } from '../message.ts';
import { EVENTS_PER_SEQUENCE } from '../queues/create-queue.ts';
import type { Rule } from './affected.ts';
import { mayNotify, planEvents, planVariants } from './plan-events.ts';
import type { PlannedEvent, TransactionChanges } from './planned-events.ts';

const COLUMNS = ['project', 'number', 'kind', 'count', 'id', 'created', 'taxonomies', 'items'];

/**
 * Writes webhook events in the transaction of the change. A change that notifies no webhook costs nothing; any other
 * costs one statement in a project without webhooks.
 */
export const writeWebhookEvents: CommitParticipant = {
  name: 'webhook events',
  async prepare(transaction) {
    const { changes, staleMarks, modelBefore, hasWebhooks } = transaction;
    if (hasWebhooks)
      await writeEvents(transaction, { entries: changes, marks: staleMarks, before: modelBefore });
  },
};

async function writeEvents(
  transaction: Pick<ProjectTransaction, 'tx' | 'options' | 'model'>,
  changes: Omit<TransactionChanges, 'after'>,
): Promise<void> {
  if (!mayNotify(changes)) return;
  const { tx, model } = transaction;
  const { number: project } = model.project;
  const variants = planVariants(changes);
  if (variants)
    return writeIfSubscribed(
      tx,
      project,
      variants.map((event, index) => rowOf(transaction, index, event, event.items.length, event.items)),
    );
  const subscribed = await subscribedKinds(tx, project);
  if (subscribed === 0) return;
  const rows: SqlValue[][] = [];
  for (const event of await planEvents(tx, { ...changes, after: model })) {
    if ((subscribed & kindOf(event.type, event.operation)) === 0) continue;
    const { count, items } = await storeItems(tx, event, numberOf(tx, rows.length));
    if (count > 0 || event.always) rows.push(rowOf(transaction, rows.length, event, count, items));
  }
  if (rows.length === 0) return;
  await tx.insert('webhook_event', COLUMNS, rows);
  tx.announce(project);
}

function rowOf(
  { tx, options, model }: Pick<ProjectTransaction, 'tx' | 'options' | 'model'>,
  index: number,
  event: PlannedEvent,
  count: number,
  items: readonly (AffectedItem | MovedItem)[] | null,
): SqlValue[] {
  return [
    model.project.number,
    numberOf(tx, index),
    kindOf(event.type, event.operation),
    count,
    options.newId(),
    tx.now,
    JSON.stringify(event.taxonomies),
    items && JSON.stringify(items),
  ];
}

function numberOf(tx: Transaction, index: number): number {
  return tx.sequence * EVENTS_PER_SEQUENCE + index;
}

/**
 * Checks for subscribers and writes in one statement, because the check alone costs as much. Events without a
 * subscriber are not written.
 */
async function writeIfSubscribed(
  tx: Transaction,
  project: number,
  rows: readonly (readonly SqlValue[])[],
): Promise<void> {
  if (rows.length === 0) return;
  const one = `SELECT number, CAST(? AS BIGINT), CAST(? AS INTEGER), CAST(? AS INTEGER), ?, ?, ?, ? FROM project
    WHERE number = ? AND EXISTS (SELECT 1 FROM webhook_lane l JOIN webhook w ON w.id = l.webhook
      WHERE l.project = ? AND l.mask & CAST(? AS INTEGER) <> 0)`;
  const written = await tx.runCounted(
    `INSERT INTO webhook_event (${COLUMNS.join(', ')}) ${rows.map(() => one).join(' UNION ALL ')}`,
    rows.flatMap((row) => [...row.slice(1), project, project, row[2] ?? 0]),
  );
  if (written > 0) tx.announce(project);
}

/** Writes the event of a whole project; `data.items` stays empty. */
export async function writeProjectEvent(
  tx: Transaction,
  project: number,
  operation: Extract<EventOperation, 'archive' | 'restore'>,
  id: string,
): Promise<void> {
  const type: EventType = 'project';
  if (((await subscribedKinds(tx, project)) & kindOf(type, operation)) === 0) return;
  await tx.insert('webhook_event', COLUMNS, [
    [project, numberOf(tx, 0), kindOf(type, operation), 0, id, tx.now, '[]', '[]'],
  ]);
  tx.announce(project);
}

/** The kinds that some webhook of the project subscribes to. */
async function subscribedKinds(tx: Transaction, project: number): Promise<number> {
  const rows = await tx.all<{ mask: number }>(
    `SELECT DISTINCT l.mask AS mask FROM webhook w JOIN webhook_lane l ON l.webhook = w.id WHERE w.project = ?`,
    [project],
  );
  return rows.reduce((kinds, { mask }) => kinds | mask, 0);
}

/**
 * Stores the affected items as of this commit: in the event when they fit one notification or are moves, else in rows of
 * their own, which the database writes without returning them.
 */
async function storeItems(
  tx: Transaction,
  planned: PlannedEvent,
  number: number,
): Promise<{ readonly count: number; readonly items: readonly (AffectedItem | MovedItem)[] | null }> {
  const { items } = planned;
  const rules: Rule[] = [];
  for (const rule of planned.rules)
    if (!rule.any || (await tx.get(rule.any.text, [rule.any.parameter]))) rules.push(rule);
  // An item that is affected in two ways is listed once; removing duplicates costs more than finding the items.
  const mayOverlap = planned.taxonomies.length > 1 || rules.some(({ any }) => any);
  const found: Rule = {
    text: rules.map(({ text }) => text).join(mayOverlap ? ' UNION ' : ' UNION ALL '),
    parameters: rules.flatMap(({ parameters }) => parameters),
  };
  const some =
    rules.length === 0
      ? []
      : await tx.all<AffectedItem>(
          `SELECT id, codename, language, type FROM (${found.text}) AS affected LIMIT ${ITEMS_LIMIT + 1}`,
          found.parameters,
        );
  const all = [...items, ...some];
  // Moves are not affected items; they stay in the event.
  if (all.length <= ITEMS_LIMIT || all.some((item) => 'item' in item))
    return { count: all.length, items: all };
  await tx.insert(
    'webhook_affected',
    ['event', 'place', 'id', 'codename', 'language', 'type'],
    items.flatMap((item, place) =>
      'id' in item ? [[number, place, item.id, item.codename, item.language, item.type]] : [],
    ),
  );
  const more =
    rules.length === 0
      ? 0
      : await tx.runCounted(
          `INSERT INTO webhook_affected (event, place, id, codename, language, type)
           SELECT CAST(? AS BIGINT), row_number() OVER () - 1 + CAST(? AS INTEGER), id, codename, language, type FROM (${found.text}) AS affected`,
          [number, items.length, ...found.parameters],
        );
  return { count: items.length + more, items: null };
}
