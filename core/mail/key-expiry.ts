import { WakeLoop } from '../jobs/wake-loop.ts';
import type { Duty } from '../storage/owner.ts';
import type { Transaction } from '../storage/ports.ts';
import { type MailSource, queueMail } from './outbox.ts';

const DAY = 86_400_000;
/** Spec section 3. */
const AHEAD = 5 * DAY;
const SEARCH_AGAIN = 3_600_000;

/**
 * Queues a mail five days before a management key expires. Searches the index of keys when woken, and then once an
 * hour.
 */
export function keyExpiry(source: MailSource, duty: Duty): WakeLoop {
  return new WakeLoop({
    work: () => queueExpiring(source),
    next: async () => SEARCH_AGAIN,
    failed: source.failed,
    afterFailure: SEARCH_AGAIN,
    duty,
  });
}

async function queueExpiring({ storage, clock, queued }: MailSource): Promise<void> {
  const now = clock().getTime();
  const keys = await storage.sql.all<ExpiringKey>(
    `SELECT k.id AS id, k.tail AS tail, k.expires AS expires, a.name AS user_name, p.name AS project_name,
       p.number AS project
     FROM api_key k JOIN project p ON p.number = k.project JOIN account a ON a.id = k.account
     WHERE k.expires > ? AND k.expires <= ? AND k.revoked IS NULL AND k.kind = 'management' AND p.archived IS NULL
       AND NOT EXISTS (SELECT 1 FROM mail m WHERE m.occasion = 'key-expiring:' || k.id || ':' || k.expires)`,
    [new Date(now).toISOString(), new Date(now + AHEAD).toISOString()],
  );
  if (keys.length === 0) return;
  await storage.write(async (tx) => {
    for (const key of keys) await queue(tx, key);
  });
  queued();
}

interface ExpiringKey {
  readonly id: string;
  readonly tail: string;
  readonly expires: string;
  readonly user_name: string;
  readonly project_name: string;
  readonly project: number;
}

function queue(tx: Transaction, key: ExpiringKey): Promise<void> {
  const { id, tail, expires, user_name: user, project_name: project } = key;
  return queueMail(tx, key.project, { kind: 'key-expiring', key: { id, tail, user, expires, project } });
}
