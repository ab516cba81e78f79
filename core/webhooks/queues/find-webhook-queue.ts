import { ServiceError } from '../../errors.ts';
import type { SqlValue } from '../../storage/sql.ts';
import type { ProjectView } from '../../transaction/project-view.ts';
import type { WebhookTriggers } from '../event-kinds.ts';
import type { QueueProgress } from './queue-types.ts';
import type { Receiver } from './read-upcoming.ts';
import { type Secrets, type StoredSecrets, toSecrets } from './secrets.ts';

/** A webhook and the state of its queue. */
export interface WebhookQueue extends Receiver {
  readonly number: number;
  readonly project: number;
  readonly name: string;
  readonly enabled: boolean;
  readonly secrets: Secrets;
  readonly lastModified: string;
  readonly cursor: number;
  readonly part: number;
  /** Storage number of the notification that blocks the queue. */
  readonly head: number | null;
  readonly nextDue: string | null;
  readonly failingSince: string | null;
  readonly deadSince: string | null;
}

/** Lists the webhooks of the project, oldest first. */
export async function listWebhookQueues({ tx, project }: ProjectView): Promise<WebhookQueue[]> {
  return (await read({ tx, project }, '', [])).map((row) => toWebhookQueue(row, project.id));
}

/** @throws webhookNotFound */
export async function findWebhookQueue({ tx, project }: ProjectView, webhook: string): Promise<WebhookQueue> {
  const [row] = await read({ tx, project }, 'AND w.id = ?', [webhook.toLowerCase()]);
  if (!row) throw new ServiceError('webhookNotFound', `There is no webhook with the id '${webhook}'.`);
  return toWebhookQueue(row, project.id);
}

interface StoredQueue extends QueueProgress, StoredSecrets {
  readonly number: number;
  readonly project: number;
  readonly webhook: string;
  readonly name: string;
  readonly url: string;
  readonly triggers: string;
  readonly enabled: number;
  readonly last_modified: string;
}

function read(
  { tx, project }: Pick<ProjectView, 'tx' | 'project'>,
  where: string,
  parameters: readonly SqlValue[],
): Promise<StoredQueue[]> {
  return tx.all<StoredQueue>(
    `SELECT l.number AS number, l.project AS project, w.id AS webhook, w.name AS name, w.url AS url,
       w.triggers AS triggers, w.enabled AS enabled, w.secret AS secret, w.previous_secret AS previous_secret,
       w.previous_until AS previous_until, w.last_modified AS last_modified, p.cursor AS cursor, p.part AS part,
       p.head AS head, p.next_due AS next_due, p.failing_since AS failing_since, p.dead_since AS dead_since
     FROM webhook w JOIN webhook_lane l ON l.webhook = w.id JOIN webhook_progress p ON p.lane = l.number
     WHERE w.project = ? ${where} ORDER BY w.created, w.id`,
    [project.number, ...parameters],
  );
}

function toWebhookQueue(row: StoredQueue, projectId: string): WebhookQueue {
  const triggers: WebhookTriggers = JSON.parse(row.triggers);
  return {
    number: row.number,
    project: row.project,
    projectId,
    webhook: row.webhook,
    name: row.name,
    url: row.url,
    triggers,
    enabled: row.enabled === 1,
    secrets: toSecrets(row),
    lastModified: row.last_modified,
    cursor: row.cursor,
    part: row.part,
    head: row.head,
    nextDue: row.next_due,
    failingSince: row.failing_since,
    deadSince: row.dead_since,
  };
}
