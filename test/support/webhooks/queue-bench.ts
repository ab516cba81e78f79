import { createItem } from '../../../core/content/items.ts';
import { createType } from '../../../core/content/types.ts';
import { upsertVariant } from '../../../core/content/variants.ts';
import { publishVariant } from '../../../core/publishing/publish.ts';
import type { ProjectTransaction } from '../../../core/transaction/project-transaction.ts';
import type { AffectedItem } from '../../../core/webhooks/message.ts';
import type { Outcome, RecordedAttempt, Upcoming } from '../../../core/webhooks/queues/queue-types.ts';
import { WebhookQueueStore } from '../../../core/webhooks/queues/webhook-queue-store.ts';
import { addWebhook } from '../../../core/webhooks/registrations.ts';
import { renderBody } from '../../../workers/webhooks/render-body.ts';
import { openWorkbench, type Workbench } from '../service/workbench.ts';
import { liveOwner } from './live-owner.ts';

export const LEASE = 90_000;
export const ENGLISH = { codename: 'en' };
export const NOTE = { codename: 'note' };

/** A project of notes on a real database, its webhooks, and what a dispatcher does, one step at a time. */
export class QueueBench {
  readonly workbench: Workbench;
  readonly store: WebhookQueueStore;
  /** Notes made so far. */
  count = 0;

  private constructor(workbench: Workbench) {
    this.workbench = workbench;
    this.store = this.storeOf('me');
  }

  static async open(): Promise<QueueBench> {
    const workbench = await openWorkbench();
    await workbench.run((transaction) =>
      createType(transaction, {
        name: 'Note',
        elements: [
          { type: 'text', name: 'Text' },
          { type: 'rich_text', name: 'Body' },
        ],
      }),
    );
    return new QueueBench(workbench);
  }

  /** Queues as another process uses them. */
  storeOf(owner: string): WebhookQueueStore {
    return new WebhookQueueStore(this.workbench.storage, liveOwner(owner));
  }

  /** Registers a webhook for some types, all when none is named. */
  async webhook(types: readonly string[] = []): Promise<{ readonly id: string; readonly queue: number }> {
    const { id } = await this.workbench.run((transaction) =>
      addWebhook(transaction, {
        name: 'Hook',
        url: 'https://example.com/hook',
        contentChanges: types.map((type) => ({ type, operations: [] })),
        workflowSteps: [],
      }),
    );
    return { id, queue: await this.queueOf(id) };
  }

  async queueOf(webhook: string): Promise<number> {
    const row = await this.workbench.sql.get<{ number: number }>(
      'SELECT number FROM webhook_lane WHERE webhook = ?',
      [webhook],
    );
    return row?.number ?? 0;
  }

  /** Publishes a new note; returns its id. */
  async publish(transaction: ProjectTransaction, name = `note ${++this.count}`): Promise<string> {
    const { id } = await createItem(transaction, { name, type: NOTE });
    await upsertVariant(transaction, { id }, ENGLISH, {
      elements: [{ element: { codename: 'text' }, value: name }],
    });
    await publishVariant(transaction, { id }, ENGLISH);
    return id;
  }

  /** Waiting notifications of the queue, such as `content_item archive`. */
  async pending(queue: number, limit = 100): Promise<string[]> {
    return (await this.store.upcoming(queue, limit)).map(
      ({ message }) => `${message.type} ${message.operation}`,
    );
  }

  /** Claims the queue and records an attempt at its head. */
  async deliver(queue: number, result?: Outcome['result']): Promise<RecordedAttempt[]> {
    await this.store.claim([queue], LEASE);
    const [next] = await this.store.upcoming(queue, 1);
    if (!next) throw new Error('Nothing is queued.');
    return this.store.record(LEASE, [outcomeFor(queue, next, result)]);
  }

  close(): Promise<void> {
    return this.workbench.close();
  }
}

export function codenamesIn({ message }: Upcoming): string[] {
  return (message.items as AffectedItem[]).map(({ codename }) => codename);
}

export function outcomeFor(
  queue: number,
  notification: Upcoming,
  result: Outcome['result'] = { state: 'delivered' },
): Outcome {
  return {
    queue,
    notification,
    body: notification.body ?? renderBody(notification.message),
    attempt: { at: '2030-01-01T00:00:00.0000000Z', durationMs: 3, status: 200, answer: null, error: null },
    result,
  };
}
