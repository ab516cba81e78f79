import type { Session } from '../session.ts';
import type { SqlValue, Transaction } from '../storage/ports.ts';
import type { Rule } from './affected.ts';
import { type EventOperation, type EventType, kindOf } from './event-kinds.ts';
import { type AffectedItem, ITEMS_LIMIT } from './message.ts';
import { EVENTS_A_SEQUENCE } from './open-lane.ts';
import { type Happened, mayTell, type PlannedEvent, planEvents } from './plan-events.ts';

const COLUMNS = ['project', 'number', 'kind', 'count', 'id', 'created', 'taxonomies', 'items'];

/**
 * Writes what webhooks are to be told of a transaction, as part of it: what readers see and what is queued are one
 * commit. A project without webhooks costs one statement, a change that tells nobody anything none.
 */
export async function writeEvents(
  session: Pick<Session, 'tx' | 'kit' | 'model'>,
  happened: Omit<Happened, 'after'>,
): Promise<void> {
  if (!mayTell(happened)) return;
  const { tx, model } = session;
  const { number: project } = model.project;
  if (!(await hasWebhooks(tx, project))) return;
  const rows: SqlValue[][] = [];
  for (const event of await planEvents(tx, { ...happened, after: model })) {
    const number = tx.sequence * EVENTS_A_SEQUENCE + rows.length;
    const { count, items } = await fix(tx, event, number);
    if (count === 0 && !event.always) continue;
    rows.push([
      project,
      number,
      kindOf(event.type, event.operation),
      count,
      session.kit.newId(),
      tx.now,
      JSON.stringify(event.taxonomies),
      items && JSON.stringify(items),
    ]);
  }
  if (rows.length === 0) return;
  await tx.insert('webhook_event', COLUMNS, rows);
  tx.announce(project);
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
    [project, tx.sequence * EVENTS_A_SEQUENCE, kindOf(type, operation), 0, id, tx.now, '[]', '[]'],
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
           SELECT ?, row_number() OVER () - 1 + ?, id, codename, language, type FROM (${found.text}) AS affected`,
          [number, items.length, ...found.parameters],
        );
  return { count: items.length + more, items: null };
}
