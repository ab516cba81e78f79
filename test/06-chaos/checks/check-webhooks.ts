import { expect } from 'chai';
import type { RunningCore } from '../../../core/compose/create-core.ts';
import { messageId } from '../../../core/webhooks/message.ts';
import { checkOrder } from '../../support/webhooks/delivery-record.ts';
import type { Evidence } from './evidence.ts';

/** A fault interrupts a queue at most as often as it cuts. */
const REPEATS_OF_FAULT = 5;
/** Until another core has taken over the work of one that lost its session. */
const TAKEOVER_MS = 5000;

/** Each event arrived, in the order of commits, and again only where a fault lay in between. */
export async function checkWebhooks(
  core: RunningCore,
  { projects, deliveries, faults }: Evidence,
): Promise<void> {
  for (const { id, webhooks } of projects) {
    const events = await core.operations.storage.sql.all<{ id: string }>(
      `SELECT e.id AS id FROM webhook_event e JOIN project p ON p.number = e.project WHERE p.id = ? ORDER BY e.number`,
      [id],
    );
    for (const webhook of webhooks) {
      const repeated = checkOrder(
        deliveries.entries.filter(({ path }) => path === webhook.path),
        events.map((event) => messageId(event.id, webhook.id, 0)),
        (first, again) => faults.meet(first.at - TAKEOVER_MS, again.at),
      );
      expect(repeated, `repeats to ${webhook.path}`).to.be.at.most(REPEATS_OF_FAULT * faults.all.length);
    }
  }
}
