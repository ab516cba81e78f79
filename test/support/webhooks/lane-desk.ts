import { createItem } from '../../../core/content/items.ts';
import { createType } from '../../../core/content/types.ts';
import { upsertVariant } from '../../../core/content/variants.ts';
import { publishVariant } from '../../../core/publishing/publish.ts';
import type { ProjectTransaction } from '../../../core/transaction/project-transaction.ts';
import { LaneStore } from '../../../core/webhooks/lanes/lane-store.ts';
import type { Outcome, Recorded, Upcoming } from '../../../core/webhooks/lanes/lane-types.ts';
import type { AffectedItem } from '../../../core/webhooks/message.ts';
import { addWebhook } from '../../../core/webhooks/registrations.ts';
import { renderBody } from '../../../workers/webhooks/render-body.ts';
import { openWorkbench, type Workbench } from '../workbench.ts';

export const LEASE = 90_000;
export const ENGLISH = { codename: 'en' };
export const NOTE = { codename: 'note' };

/** A project of notes on a real database, its webhooks, and what a dispatcher does, one step at a time. */
export class LaneDesk {
  readonly bench: Workbench;
  readonly store: LaneStore;
  /** Notes made so far. */
  count = 0;

  private constructor(bench: Workbench) {
    this.bench = bench;
    this.store = new LaneStore(bench.storage);
  }

  static async open(): Promise<LaneDesk> {
    const bench = await openWorkbench();
    await bench.run((session) =>
      createType(session, {
        name: 'Note',
        elements: [
          { type: 'text', name: 'Text' },
          { type: 'rich_text', name: 'Body' },
        ],
      }),
    );
    return new LaneDesk(bench);
  }

  /** Of some types of objects, all when none is named. */
  async webhook(types: readonly string[] = []): Promise<{ readonly id: string; readonly lane: number }> {
    const { id } = await this.bench.run((session) =>
      addWebhook(session, {
        name: 'Hook',
        url: 'https://example.com/hook',
        contentChanges: types.map((type) => ({ type, operations: [] })),
        workflowSteps: [],
      }),
    );
    return { id, lane: await this.laneOf(id) };
  }

  async laneOf(webhook: string): Promise<number> {
    const row = await this.bench.sql.get<{ number: number }>(
      'SELECT number FROM webhook_lane WHERE webhook = ?',
      [webhook],
    );
    return row?.number ?? 0;
  }

  /** A new note, published; answers its id. */
  async publish(session: ProjectTransaction, name = `note ${++this.count}`): Promise<string> {
    const { id } = await createItem(session, { name, type: NOTE });
    await upsertVariant(session, { id }, ENGLISH, {
      elements: [{ element: { codename: 'text' }, value: name }],
    });
    await publishVariant(session, { id }, ENGLISH);
    return id;
  }

  /** `content_item archive` of what waits in the lane. */
  async told(lane: number, limit = 100): Promise<string[]> {
    return (await this.store.upcoming(lane, limit)).map(
      ({ message }) => `${message.type} ${message.operation}`,
    );
  }

  /** Claims the lane, and records an attempt of its head. */
  async deliver(lane: number, result?: Outcome['result']): Promise<Recorded[]> {
    await this.store.claim([lane], 'me', LEASE);
    const [next] = await this.store.upcoming(lane, 1);
    if (!next) throw new Error('Nothing is queued.');
    return this.store.record('me', LEASE, [outcomeFor(lane, next, result)]);
  }

  close(): Promise<void> {
    return this.bench.close();
  }
}

export function codenamesIn({ message }: Upcoming): string[] {
  return (message.items as AffectedItem[]).map(({ codename }) => codename);
}

export function outcomeFor(
  lane: number,
  notification: Upcoming,
  result: Outcome['result'] = { state: 'delivered' },
): Outcome {
  return {
    lane,
    notification,
    body: notification.body ?? renderBody(notification.message),
    attempt: { at: '2030-01-01T00:00:00.0000000Z', durationMs: 3, status: 200, answer: null, error: null },
    result,
  };
}
