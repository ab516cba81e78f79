import type { Session } from '../session.ts';
import { maskOf } from './event-kinds.ts';
import type { WebhookTriggers } from './registrations.ts';

/** Places for events in one transaction; an event's number is the sequence times this, plus its place. */
export const EVENTS_A_SEQUENCE = 1000;

/** The lane of a new webhook: it begins behind everything up to this transaction. */
export async function openLane(session: Session, webhook: string, triggers: WebhookTriggers): Promise<void> {
  const { tx, project } = session;
  const lane = await tx.numbers('webhook_lane');
  await tx.insert(
    'webhook_lane',
    ['number', 'project', 'webhook', 'mask'],
    [[lane, project.number, webhook, maskOf(triggers)]],
  );
  const behind = tx.sequence * EVENTS_A_SEQUENCE + EVENTS_A_SEQUENCE - 1;
  await tx.insert('webhook_progress', ['lane', 'cursor', 'part'], [[lane, behind, 0]]);
}
