import { join } from 'node:path';
import { expect } from 'chai';
import { createItem, createItems, deleteItem, updateItem } from '../../core/content/items.ts';
import { createLanguage } from '../../core/content/languages.ts';
import { createTaxonomy } from '../../core/content/taxonomies.ts';
import { findType, updateType } from '../../core/content/types.ts';
import { deleteVariant, upsertVariant, upsertVariants } from '../../core/content/variants.ts';
import { WORKFLOW } from '../../core/content/workflow.ts';
import { newVersion, publishVariant, unpublishVariant } from '../../core/publishing/publish.ts';
import { cancelScheduledPublish, schedulePublish } from '../../core/publishing/schedule.ts';
import { maskOf } from '../../core/webhooks/event-kinds.ts';
import type { MovedItem } from '../../core/webhooks/message.ts';
import { skipHead } from '../../core/webhooks/operator/queue-controls.ts';
import { updateMasks } from '../../core/webhooks/queues/create-queue.ts';
import { findWebhookQueue } from '../../core/webhooks/queues/find-webhook-queue.ts';
import { addWebhook, changeWebhook } from '../../core/webhooks/registrations.ts';
import {
  codenamesIn,
  ENGLISH,
  LEASE,
  NOTE,
  outcomeFor,
  QueueBench,
} from '../support/webhooks/queue-bench.ts';

describe('queues of webhooks', () => {
  let queueBench: QueueBench;

  beforeEach(async () => {
    queueBench = await QueueBench.open();
  });
  afterEach(() => queueBench.close());

  /** @returns the queue of a webhook for moves to the steps */
  async function addForSteps(transitionsTo: readonly { id: string }[]): Promise<number> {
    const { id } = await queueBench.workbench.run((transaction) =>
      addWebhook(transaction, {
        name: 'Steps',
        url: 'https://example.com/steps',
        contentChanges: [],
        workflowSteps: [{ type: 'content_item_variant', transitionsTo }],
      }),
    );
    return queueBench.queueOf(id);
  }

  it('start after all existing events, also those of the same transaction', async () => {
    await queueBench.workbench.run((transaction) => queueBench.publish(transaction));
    const { queue } = await queueBench.webhook();
    expect(await queueBench.pending(queue)).to.deep.equal([]);
    await queueBench.workbench.run((transaction) => queueBench.publish(transaction));
    expect(await queueBench.pending(queue)).to.deep.equal(['content_item_variant publish']);
  });

  it('hold exactly the committed events: visible and queued are one commit', async () => {
    const { queue } = await queueBench.webhook();
    await queueBench.workbench
      .run(async (transaction) => {
        await queueBench.publish(transaction, 'lost');
        throw new Error('no');
      })
      .catch(() => {});
    expect(await queueBench.pending(queue)).to.deep.equal([]);
    await queueBench.workbench.run((transaction) => queueBench.publish(transaction, 'kept'));
    const [only] = await queueBench.store.upcoming(queue, 10);
    expect(only && codenamesIn(only)).to.deep.equal(['kept']);
    const change = await queueBench.workbench.sql.get<{ sequence: number }>(
      `SELECT sequence FROM change WHERE operation = 'publish'`,
    );
    expect(Math.floor((only?.position.event ?? 0) / 1000)).to.equal(change?.sequence);
  });

  it('receive no event in a project without webhooks', async () => {
    await queueBench.workbench.run((transaction) => queueBench.publish(transaction));
    expect(await queueBench.workbench.sql.get('SELECT number FROM webhook_event LIMIT 1')).to.equal(
      undefined,
    );
  });

  it('announce the project with the commit, so that the dispatcher need not poll', async () => {
    const announced: number[][] = [];
    queueBench.workbench.storage.onCommit((changes) => announced.push([...changes.announced]));
    await queueBench.webhook();
    await queueBench.workbench.run(async (transaction) => {
      await createItem(transaction, { name: 'draft', type: NOTE });
    });
    await queueBench.workbench.run((transaction) => queueBench.publish(transaction));
    expect(announced).to.deep.equal([[], [], [queueBench.workbench.project.number]]);
  });

  it('have one notification per operation on several items, in the order of the events', async () => {
    const { queue } = await queueBench.webhook();
    await queueBench.workbench.run(async (transaction) => {
      await queueBench.publish(transaction, 'a');
      await createTaxonomy(transaction, { name: 'Topics' });
      await queueBench.publish(transaction, 'b');
    });
    const upcoming = await queueBench.store.upcoming(queue, 10);
    expect(upcoming.map(codenamesIn)).to.deep.equal([['a', 'b'], []]);
    expect(await queueBench.pending(queue)).to.deep.equal([
      'content_item_variant publish',
      'taxonomy upsert',
    ]);
  });

  it('split an event with more than 1,000 items, as of its commit', async () => {
    const { queue } = await queueBench.webhook(['content_type']);
    let last = '';
    for (let done = 0; done < 1050; done += 210)
      await queueBench.workbench.run(async (transaction) => {
        for (let index = 0; index < 210; index++) last = await queueBench.publish(transaction);
      });
    await queueBench.workbench.run((transaction) =>
      updateType(transaction, NOTE, {
        elements: findType(transaction, NOTE).elements.map((element) => ({
          ...element,
          name: `${element.name}!`,
        })),
      }),
    );
    await queueBench.workbench.run((transaction) =>
      updateItem(transaction, { id: last }, { name: 'Renamed since' }),
    );
    const parts = await queueBench.store.upcoming(queue, 10);
    expect(parts.map(codenamesIn).map(({ length }) => length)).to.deep.equal([1000, 50]);
    const all = parts.flatMap(codenamesIn);
    expect(new Set(all).size).to.equal(1050);
    expect(all).to.include(`note_${queueBench.count}`).and.not.to.include('renamed_since');
    expect(new Set(parts.map(({ message }) => message.id)).size).to.equal(2);
    // Each part is settled by itself.
    await queueBench.deliver(queue);
    expect(
      (await queueBench.store.upcoming(queue, 10)).map(codenamesIn).map(({ length }) => length),
    ).to.deep.equal([50]);
    await queueBench.deliver(queue);
    expect(await queueBench.store.upcoming(queue, 10)).to.deep.equal([]);
    expect(await queueBench.store.waiting()).to.deep.equal([]);
  });

  it('split the moves of more than 1,000 variants', async () => {
    const queue = await addForSteps([]);
    const { run } = queueBench.workbench;
    await run((transaction) => createLanguage(transaction, { name: 'German', codename: 'de' }));
    const names = Array.from({ length: 510 }, (_, index) => `note_${index}`);
    await run(async (transaction) => {
      await createItems(
        transaction,
        names.map((codename) => ({ name: codename, codename, type: NOTE })),
      );
      for (const language of ['en', 'de'])
        await upsertVariants(
          transaction,
          { codename: language },
          names.map((codename) => ({ item: { codename }, input: { elements: [] } })),
        );
    });
    await run(async (transaction) => {
      for (const codename of names) await deleteItem(transaction, { codename });
    });
    const parts = (await queueBench.store.upcoming(queue, 10)).map(
      ({ message }) => message.items as MovedItem[],
    );
    expect(parts.map(({ length }) => length)).to.deep.equal([1000, 20]);
    expect(new Set(parts.flat().map(({ item, language }) => `${item} ${language}`)).size).to.equal(1020);
  });

  it('list an item once that is affected in two ways', async () => {
    const { queue } = await queueBench.webhook(['content_type']);
    await queueBench.workbench.run(async (transaction) => {
      const id = await queueBench.publish(transaction, 'outer');
      await upsertVariant(transaction, { id: await queueBench.publish(transaction, 'other') }, ENGLISH, {
        elements: [],
      });
      await transaction.tx.run(
        'UPDATE variant SET draft = published WHERE item = (SELECT number FROM item WHERE id = ?)',
        [id],
      );
      await upsertVariant(transaction, { id }, ENGLISH, {
        elements: [
          {
            element: { codename: 'body' },
            value:
              '<object type="application/service" data-type="component" data-id="6f3a1c62-0000-4000-8000-000000000001"></object>',
            components: [
              {
                id: '6f3a1c62-0000-4000-8000-000000000001',
                type: NOTE,
                elements: [{ element: { codename: 'text' }, value: 'inner' }],
              },
            ],
          },
        ],
      });
      await publishVariant(transaction, { id }, ENGLISH);
    });
    await queueBench.workbench.run((transaction) =>
      updateType(transaction, NOTE, {
        elements: findType(transaction, NOTE).elements.map((element) => ({
          ...element,
          name: `${element.name}!`,
        })),
      }),
    );
    const [only] = await queueBench.store.upcoming(queue, 10);
    expect(only && codenamesIn(only).sort()).to.deep.equal(['other', 'outer']);
  });

  it('skip events that their webhook did not choose, and read them once', async () => {
    const { queue } = await queueBench.webhook(['taxonomy']);
    const other = await queueBench.webhook();
    await queueBench.workbench.run((transaction) => queueBench.publish(transaction));
    expect((await queueBench.store.waiting()).map((one) => one.queue)).to.deep.equal([other.queue]);
    expect(await queueBench.pending(queue)).to.deep.equal([]);
    await queueBench.workbench.run((transaction) => createTaxonomy(transaction, { name: 'Topics' }));
    await queueBench.workbench.run((transaction) => queueBench.publish(transaction));
    expect(await queueBench.pending(queue)).to.deep.equal(['taxonomy upsert']);
    expect((await queueBench.store.waiting()).map((one) => [one.queue, one.due])).to.deep.equal([
      [queue, null],
      [other.queue, null],
    ]);
  });

  it('receive no event from before their webhook chose it', async () => {
    const all = await queueBench.webhook();
    const { queue, id } = await queueBench.webhook(['taxonomy']);
    const change = (types: readonly string[]) =>
      queueBench.workbench.run((transaction) =>
        changeWebhook(transaction, id, {
          name: 'Hook',
          url: 'https://example.com/hook',
          contentChanges: types.map((type) => ({ type, operations: [] })),
          workflowSteps: [],
        }),
      );
    await queueBench.workbench.run((transaction) => queueBench.publish(transaction));
    await change([]);
    expect(await queueBench.pending(queue)).to.deep.equal([]);
    await queueBench.workbench.run((transaction) => queueBench.publish(transaction));
    expect(await queueBench.pending(queue)).to.deep.equal(['content_item_variant publish']);
    // What waits stays, and what is behind it.
    await change(['content_item_variant']);
    expect(await queueBench.pending(queue)).to.deep.equal(['content_item_variant publish']);
    expect(await queueBench.pending(all.queue)).to.have.length(2);
  });

  it('get the mask of their webhook after a migration', async () => {
    const { queue } = await queueBench.webhook(['taxonomy']);
    const older = await queueBench.webhook();
    await queueBench.workbench.storage.write((tx) => tx.run('UPDATE webhook_lane SET mask = 1073741823'));
    await queueBench.workbench.run((transaction) => queueBench.publish(transaction));
    expect(await queueBench.pending(queue)).to.deep.equal([]);
    // As an earlier version with fewer kinds created it.
    await queueBench.workbench.storage.write((tx) =>
      tx.run('UPDATE webhook_lane SET mask = 1 WHERE number = ?', [older.queue]),
    );
    await updateMasks(queueBench.workbench.storage);
    const masks = await queueBench.workbench.sql.all<{ mask: number }>(
      'SELECT mask FROM webhook_lane ORDER BY number',
    );
    expect(masks.map(({ mask }) => mask)).to.deep.equal([
      maskOf({ contentChanges: [{ type: 'taxonomy', operations: [] }], workflowSteps: [] }),
      maskOf({ contentChanges: [], workflowSteps: [] }),
    ]);
  });

  it('receive no event that no webhook of the project chose', async () => {
    await queueBench.webhook(['taxonomy']);
    await queueBench.workbench.run((transaction) => queueBench.publish(transaction));
    expect(await queueBench.workbench.sql.get('SELECT number FROM webhook_event LIMIT 1')).to.equal(
      undefined,
    );
  });

  it('have one owner at a time; another one can claim them when the lease ends', async () => {
    const { queue } = await queueBench.webhook();
    expect(await queueBench.store.claim([queue], LEASE)).to.have.length(1);
    expect(await queueBench.storeOf('other').claim([queue], 1000)).to.have.length(0);
    // Each transaction of the bench is a minute later.
    expect(await queueBench.storeOf('other').claim([queue], LEASE)).to.have.length(1);
    await queueBench.workbench.run((transaction) => queueBench.publish(transaction));
    const [next] = await queueBench.store.upcoming(queue, 1);
    const [recorded] = next ? await queueBench.store.record(LEASE, [outcomeFor(queue, next)]) : [];
    expect(recorded?.lease).to.equal('lost');
    expect(await queueBench.store.upcoming(queue, 1)).to.deep.equal([next]);
  });

  it('keep a failed notification and its bytes as head; skipping it ends the lease, and the running attempt is recorded', async () => {
    const { queue, id } = await queueBench.webhook();
    await queueBench.workbench.run((transaction) => queueBench.publish(transaction, 'head'));
    await queueBench.workbench.run((transaction) => queueBench.publish(transaction, 'behind'));
    const due = '2030-02-01T00:00:00.0000000Z';
    const [failed] = await queueBench.deliver(queue, { state: 'pending', due });
    expect(failed?.failingSince).to.deep.equal([null, '2030-01-01T00:00:00.0000000Z']);
    expect((await queueBench.store.waiting()).map((one) => [one.queue, one.due])).to.deep.equal([
      [queue, due],
    ]);
    const [head] = await queueBench.store.upcoming(queue, 2);
    expect(head).to.include({ attempts: 1, firstAttempt: '2030-01-01T00:00:00.0000000Z' });
    expect(head?.body).to.contain('"codename":"head"');
    await queueBench.workbench.run(async (transaction) =>
      skipHead(transaction, await findWebhookQueue(transaction, id)),
    );
    const [late] = head ? await queueBench.store.record(LEASE, [outcomeFor(queue, head)]) : [];
    expect(late?.lease).to.equal('lost');
    const log = await queueBench.workbench.sql.all(
      `SELECT n.state AS state, n.attempts AS attempts, count(*) AS entered FROM webhook_notification n
       JOIN webhook_attempt a ON a.notification = n.number GROUP BY n.number`,
    );
    expect(log).to.deep.equal([{ state: 2, attempts: 1, entered: 2 }]);
    expect((await queueBench.store.upcoming(queue, 2)).map(codenamesIn)).to.deep.equal([['behind']]);
    const [healed] = await queueBench.deliver(queue);
    expect(healed?.failingSince).to.deep.equal(['2030-01-01T00:00:00.0000000Z', null]);
  });

  it('record nothing after the queue has moved on', async () => {
    const { queue } = await queueBench.webhook();
    await queueBench.workbench.run((transaction) => queueBench.publish(transaction));
    await queueBench.store.claim([queue], LEASE);
    const [next] = await queueBench.store.upcoming(queue, 1);
    if (!next) throw new Error('Nothing is queued.');
    expect((await queueBench.store.record(LEASE, [outcomeFor(queue, next)]))[0]?.lease).to.equal('held');
    expect((await queueBench.store.record(LEASE, [outcomeFor(queue, next)]))[0]?.lease).to.equal('lost');
    const rows = await queueBench.workbench.sql.all('SELECT number FROM webhook_notification');
    expect(rows).to.have.length(1);
  });

  it('record nothing after a backup was restored: its waiting notifications are still sent', async () => {
    const { queue } = await queueBench.webhook();
    for (const name of ['one', 'two'])
      await queueBench.workbench.run((transaction) => queueBench.publish(transaction, name));
    await queueBench.store.claim([queue], LEASE);
    const backup = join(queueBench.workbench.folder, 'backup.db');
    await queueBench.workbench.storage.copyTo(backup);
    await queueBench.deliver(queue);
    await queueBench.deliver(queue);
    await queueBench.workbench.run((transaction) => queueBench.publish(transaction, 'three'));
    const [underWay] = await queueBench.store.upcoming(queue, 1);
    await queueBench.workbench.storage.replaceWith(backup);
    const [recorded] = await queueBench.store.record(LEASE, [outcomeFor(queue, underWay!)]);
    expect(recorded?.lease).to.equal('lost');
    expect((await queueBench.store.upcoming(queue, 10)).flatMap(codenamesIn)).to.deep.equal(['one', 'two']);
  });

  it('report workflow steps to webhooks that chose them, and only those steps', async () => {
    const { published, draft, archived } = WORKFLOW;
    const everyStep = await addForSteps([]);
    const onlyPublished = await addForSteps([{ id: published.id }]);
    const id = await queueBench.workbench.run((transaction) => queueBench.publish(transaction, 'moving'));
    await queueBench.workbench.run((transaction) => newVersion(transaction, { id }, ENGLISH));
    await queueBench.workbench.run((transaction) =>
      schedulePublish(transaction, { id }, ENGLISH, '2999-01-01T00:00:00Z'),
    );
    await queueBench.workbench.run((transaction) => cancelScheduledPublish(transaction, { id }, ENGLISH));
    await queueBench.workbench.run((transaction) => deleteVariant(transaction, { id }, ENGLISH));
    const moves = async (queue: number) =>
      (await queueBench.store.upcoming(queue, 20)).map(({ message }) => {
        const [moved] = message.items as MovedItem[];
        return [message.apiName, message.operation, moved?.item === id, moved?.from, moved?.to];
      });
    const moved = (from: string, to: string) => [
      'content_management',
      'change_workflow_step',
      true,
      from,
      to,
    ];
    expect(await moves(everyStep)).to.deep.equal([
      moved(draft.id, published.id),
      moved(published.id, draft.id),
      moved(draft.id, WORKFLOW.scheduled.id),
      moved(WORKFLOW.scheduled.id, draft.id),
      moved(draft.id, archived.id),
    ]);
    expect(await moves(onlyPublished)).to.deep.equal([moved(draft.id, published.id)]);
    // The cursor has passed unchosen events.
    await queueBench.deliver(onlyPublished);
    expect(await moves(onlyPublished)).to.deep.equal([]);
    expect((await queueBench.store.waiting()).map(({ queue }) => queue)).to.deep.equal([everyStep]);
  });

  it('report no move of a draft that stays scheduled while its variant is unpublished', async () => {
    const { published, draft, scheduled, archived } = WORKFLOW;
    const queue = await addForSteps([]);
    const id = await queueBench.workbench.run((transaction) => queueBench.publish(transaction, 'staying'));
    await queueBench.workbench.run((transaction) => newVersion(transaction, { id }, ENGLISH));
    await queueBench.workbench.run((transaction) =>
      schedulePublish(transaction, { id }, ENGLISH, '2999-01-01T00:00:00Z'),
    );
    await queueBench.workbench.run((transaction) => unpublishVariant(transaction, { id }, ENGLISH));
    await queueBench.workbench.run((transaction) => deleteItem(transaction, { id }));
    const events = await queueBench.store.upcoming(queue, 20);
    expect(
      events.map(({ message }) => (message.items as MovedItem[]).map(({ from, to }) => [from, to])),
    ).to.deep.equal([
      [[draft.id, published.id]],
      [[published.id, draft.id]],
      [[draft.id, scheduled.id]],
      [[scheduled.id, archived.id]],
    ]);
  });
});
