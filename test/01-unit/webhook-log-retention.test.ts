import { expect } from 'chai';
import { LogRetention } from '../../core/webhooks/operator/log-retention.ts';
import { deleteWebhook } from '../../core/webhooks/registrations.ts';
import { LEASE, QueueBench } from '../support/webhooks/queue-bench.ts';

describe('retention of webhook data', () => {
  let queueBench: QueueBench;

  beforeEach(async () => {
    queueBench = await QueueBench.open();
  });
  afterEach(() => queueBench.close());

  const counts = async () => {
    const tables = [
      'webhook_event',
      'webhook_affected',
      'webhook_notification',
      'webhook_attempt',
      'webhook_lane',
    ];
    return Promise.all(
      tables.map(
        async (table) =>
          (await queueBench.workbench.sql.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`))?.n,
      ),
    );
  };
  const removeOld = (now: string, days = 1) =>
    new LogRetention(
      {
        storage: queueBench.workbench.storage,
        clock: () => new Date(now),
        failed(error) {
          throw error;
        },
      },
      days,
    ).removeOld();

  it('removes old settled notifications, never pending ones', async () => {
    const { queue } = await queueBench.webhook();
    for (let index = 0; index < 3; index++)
      await queueBench.workbench.run((transaction) => queueBench.publish(transaction));
    await queueBench.deliver(queue);
    await queueBench.deliver(queue, { state: 'dropped', note: 'old' });
    await queueBench.deliver(queue, { state: 'pending', due: '2030-01-01T05:00:00.0000000Z' });
    await removeOld('2030-01-01T12:00:00Z');
    expect(await counts()).to.deep.equal([3, 0, 3, 3, 1]);
    await removeOld('2031-01-01T00:00:00Z');
    // The event at the cursor stays: its other parts may be unsent.
    expect(await counts()).to.deep.equal([2, 0, 1, 1, 1]);
    expect((await queueBench.store.upcoming(queue, 5)).length).to.equal(1);
  });

  it('removes everything of a deleted webhook, and events with the last webhook', async () => {
    const { queue, id } = await queueBench.webhook();
    await queueBench.workbench.run((transaction) => queueBench.publish(transaction));
    await queueBench.workbench.run((transaction) => queueBench.publish(transaction));
    await queueBench.deliver(queue);
    await queueBench.deliver(queue, { state: 'pending', due: '2030-01-01T05:00:00.0000000Z' });
    await queueBench.workbench.run((transaction) => deleteWebhook(transaction, id));
    expect(await queueBench.store.waiting()).to.deep.equal([]);
    expect(await queueBench.store.upcoming(queue, 5)).to.deep.equal([]);
    expect((await queueBench.store.claim([queue], LEASE))[0]?.stopped).to.equal(true);
    await removeOld('2030-01-01T12:00:00Z');
    expect(await counts()).to.deep.equal([0, 0, 0, 0, 0]);
  });

  it('removes events that no webhook chose', async () => {
    await queueBench.webhook(['taxonomy']);
    const { queue } = await queueBench.webhook();
    for (let index = 0; index < 3; index++)
      await queueBench.workbench.run((transaction) => queueBench.publish(transaction));
    for (let index = 0; index < 3; index++) await queueBench.deliver(queue);
    await removeOld('2031-01-01T00:00:00Z');
    expect((await counts())[0]).to.equal(1);
  });

  it('removes what is old behind notifications and events of a clock that was ahead', async () => {
    const { queue } = await queueBench.webhook();
    for (let index = 0; index < 4; index++)
      await queueBench.workbench.run((transaction) => queueBench.publish(transaction));
    for (let index = 0; index < 4; index++) await queueBench.deliver(queue);
    await queueBench.workbench.storage.write(async (tx) => {
      for (const table of ['webhook_event', 'webhook_notification'])
        await tx.run(
          `UPDATE ${table} SET created = '2040-01-01T00:00:00.0000000Z' WHERE number = (SELECT min(number) FROM ${table})`,
        );
    });
    await removeOld('2031-01-01T00:00:00Z');
    // The event at the cursor stays, too.
    expect(await counts()).to.deep.equal([2, 0, 1, 1, 1]);
    await removeOld('2041-01-01T00:00:00Z');
    expect(await counts()).to.deep.equal([1, 0, 0, 0, 1]);
  });
});
