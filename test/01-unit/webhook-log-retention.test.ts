import { expect } from 'chai';
import { LogRetention } from '../../core/webhooks/desk/log-retention.ts';
import { deleteWebhook } from '../../core/webhooks/registrations.ts';
import { LaneDesk, LEASE } from '../support/webhooks/lane-desk.ts';

describe('the log of webhooks', () => {
  let desk: LaneDesk;

  beforeEach(async () => {
    desk = await LaneDesk.open();
  });
  afterEach(() => desk.close());

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
        async (table) => (await desk.bench.sql.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`))?.n,
      ),
    );
  };
  const sweep = (now: string, days = 1) =>
    new LogRetention(
      desk.bench.storage,
      days,
      () => new Date(now),
      (error) => {
        throw error;
      },
    ).sweep();

  it('lose what was settled long ago, never what is not delivered yet', async () => {
    const { lane } = await desk.webhook();
    for (let index = 0; index < 3; index++) await desk.bench.run((session) => desk.publish(session));
    await desk.deliver(lane);
    await desk.deliver(lane, { state: 'dropped', note: 'old' });
    await desk.deliver(lane, { state: 'pending', due: '2030-01-01T05:00:00.0000000Z' });
    await sweep('2030-01-01T12:00:00Z');
    expect(await counts()).to.deep.equal([3, 0, 3, 3, 1]);
    await sweep('2031-01-01T00:00:00Z');
    // The event at the cursor stays: parts of it may be left.
    expect(await counts()).to.deep.equal([2, 0, 1, 1, 1]);
    expect((await desk.store.upcoming(lane, 5)).length).to.equal(1);
  });

  it('are gone with a deleted webhook, events with the last one', async () => {
    const { lane, id } = await desk.webhook();
    await desk.bench.run((session) => desk.publish(session));
    await desk.bench.run((session) => desk.publish(session));
    await desk.deliver(lane);
    await desk.deliver(lane, { state: 'pending', due: '2030-01-01T05:00:00.0000000Z' });
    await desk.bench.run((session) => deleteWebhook(session, id));
    expect(await desk.store.waiting()).to.deep.equal([]);
    expect(await desk.store.upcoming(lane, 5)).to.deep.equal([]);
    expect((await desk.store.claim([lane], 'me', LEASE))[0]?.stopped).to.equal(true);
    await sweep('2030-01-01T12:00:00Z');
    expect(await counts()).to.deep.equal([0, 0, 0, 0, 0]);
  });

  it('are not held back by a webhook that chose nothing of it', async () => {
    await desk.webhook(['taxonomy']);
    const { lane } = await desk.webhook();
    for (let index = 0; index < 3; index++) await desk.bench.run((session) => desk.publish(session));
    for (let index = 0; index < 3; index++) await desk.deliver(lane);
    await sweep('2031-01-01T00:00:00Z');
    expect((await counts())[0]).to.equal(1);
  });
});
