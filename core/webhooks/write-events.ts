import type { Session } from '../session.ts';
import type { SqlValue, Transaction } from '../storage/ports.ts';
import type { Rule } from './affected.ts';
import { type EventOperation, type EventType, kindOf } from './event-kinds.ts';
import { type AffectedItem, ITEMS_LIMIT } from './message.ts';
import { EVENTS_A_SEQUENCE } from './open-lane.ts';
import { type Happened, mayTell, type PlannedEvent, planEvents, planPublishing } from './plan-events.ts';

const COLUMNS = ['project', 'number', 'kind', 'count', 'id', 'created', 'taxonomies', 'items'];

/**
 * Writes what webhooks are to be told of a transaction, as part of it: what readers see and what is queued are one
 * commit. A change that tells nobody anything costs nothing, any other one statement where there are no webhooks.
 */
export async function writeEvents(
  session: Pick<Session, 'tx' | 'kit' | 'model'>,
  happened: Omit<Happened, 'after'>,
): Promise<void> {
  if (!mayTell(happened)) return;
  const { tx, model } = session;
  const { number: project } = model.project;
  const publishing = planPublishing(happened);
  if (publishing) {
    for (const [place, event] of publishing.entries())
      await writeIfHeard(tx, rowOf(session, place, event, event.items.length, event.items));
    return;
  }
  if (!(await hasWebhooks(tx, project))) return;
  const rows: SqlValue[][] = [];
  for (const event of await planEvents(tx, { ...happened, after: model })) {
    const { count, items } = await fix(tx, event, numberOf(tx, rows.length));
    if (count > 0 || event.always) rows.push(rowOf(session, rows.length, event, count, items));
  }
  if (rows.length === 0) return;
  await tx.insert('webhook_event', COLUMNS, rows);
  tx.announce(project);
}

function rowOf(
  { tx, kit, model }: Pick<Session, 'tx' | 'kit' | 'model'>,
  place: number,
  event: PlannedEvent,
  count: number,
  items: readonly AffectedItem[] | null,
): SqlValue[] {
  return [
    model.project.number,
    numberOf(tx, place),
    kindOf(event.type, event.operation),
    count,
    kit.newId(),
    tx.now,
    JSON.stringify(event.taxonomies),
    items && JSON.stringify(items),
  ];
}

function numberOf(tx: Transaction, place: number): number {
  return tx.sequence * EVENTS_A_SEQUENCE + place;
}

/** Asks and writes in one: asking alone costs as much. */
async function writeIfHeard(tx: Transaction, row: readonly SqlValue[]): Promise<void> {
  const project = Number(row[0]);
  const written = await tx.run(
    `INSERT INTO webhook_event (${COLUMNS.join(', ')})
     SELECT number, CAST(? AS BIGINT), CAST(? AS INTEGER), CAST(? AS INTEGER), ?, ?, ?, ? FROM project
     WHERE number = ? AND EXISTS (SELECT 1 FROM webhook w WHERE w.project = ?)`,
    [...row.slice(1), project, project],
  );
  if (written > 0) tx.announce(project);
}

/** What becomes of a project as a whole; `data.items` stays empty. */
export async function writeProjectEvent(
  tx: Transaction,
  project: number,
  operation: Extract<EventOperation, 'archive' | 'restore'>,
  id: string,
): Promise<void> {
  if (!(await hasWebhooks(tx, project))) return;
  const type: EventType = 'project';
  await tx.insert('webhook_event', COLUMNS, [
    [project, numberOf(tx, 0), kindOf(type, operation), 0, id, tx.now, '[]', '[]'],
  ]);
  tx.announce(project);
}

async function hasWebhooks(tx: Transaction, project: number): Promise<boolean> {
  return (await tx.get('SELECT 1 AS found FROM webhook WHERE project = ? LIMIT 1', [project])) !== undefined;
}

/**
 * The affected items as of this commit: with the event when they fit one notification, else in rows of their own,
 * which the store writes without handing them out.
 */
async function fix(
  tx: Transaction,
  planned: PlannedEvent,
  number: number,
): Promise<{ readonly count: number; readonly items: readonly AffectedItem[] | null }> {
  const { items } = planned;
  const rules: Rule[] = [];
  for (const rule of planned.rules)
    if (!rule.any || (await tx.get(rule.any.text, [rule.any.parameter]))) rules.push(rule);
  // An item that is affected in two ways is told once; sorting that out costs more than finding the items.
  const mayOverlap = planned.taxonomies.length > 1 || rules.some(({ any }) => any);
  const found: Rule = {
    text: rules.map(({ text }) => text).join(mayOverlap ? ' UNION ' : ' UNION ALL '),
    parameters: rules.flatMap(({ parameters }) => parameters),
  };
  const some =
    rules.length === 0
      ? []
      : await tx.all<AffectedItem & Record<string, SqlValue>>(
          `SELECT id, codename, language, type FROM (${found.text}) AS affected LIMIT ${ITEMS_LIMIT + 1}`,
          found.parameters,
        );
  const all = [...items, ...some];
  if (all.length <= ITEMS_LIMIT) return { count: all.length, items: all };
  await tx.insert(
    'webhook_affected',
    ['event', 'place', 'id', 'codename', 'language', 'type'],
    items.map(({ id, codename, language, type }, place) => [number, place, id, codename, language, type]),
  );
  const more =
    rules.length === 0
      ? 0
      : await tx.run(
          `INSERT INTO webhook_affected (event, place, id, codename, language, type)
           SELECT CAST(? AS BIGINT), row_number() OVER () - 1 + CAST(? AS INTEGER), id, codename, language, type FROM (${found.text}) AS affected`,
          [number, items.length, ...found.parameters],
        );
  return { count: items.length + more, items: null };
}
