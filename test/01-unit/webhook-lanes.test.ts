import { join } from 'node:path';
import { expect } from 'chai';
import { createItem, updateItem } from '../../core/content/items.ts';
import { createTaxonomy } from '../../core/content/taxonomies.ts';
import { findType, updateType } from '../../core/content/types.ts';
import { deleteVariant, upsertVariant } from '../../core/content/variants.ts';
import { WORKFLOW } from '../../core/content/workflow.ts';
import { newVersion, publishVariant } from '../../core/publishing/publish.ts';
import { cancelScheduledPublish, schedulePublish } from '../../core/publishing/schedule.ts';
import { skipHead } from '../../core/webhooks/desk/lane-controls.ts';
import { maskOf } from '../../core/webhooks/event-kinds.ts';
import { findLane } from '../../core/webhooks/lanes/find-lane.ts';
import { fillMasks } from '../../core/webhooks/lanes/open-lane.ts';
import type { MovedItem } from '../../core/webhooks/message.ts';
import { addWebhook } from '../../core/webhooks/registrations.ts';
import { codenamesIn, ENGLISH, LaneDesk, LEASE, NOTE, outcomeFor } from '../support/webhooks/lane-desk.ts';

describe('lanes of webhooks', () => {
  let desk: LaneDesk;

  beforeEach(async () => {
    desk = await LaneDesk.open();
  });
  afterEach(() => desk.close());

  it('begin behind everything that was there before, in the very transaction too', async () => {
    await desk.bench.run((session) => desk.publish(session));
    const { lane } = await desk.webhook();
    expect(await desk.told(lane)).to.deep.equal([]);
    await desk.bench.run((session) => desk.publish(session));
    expect(await desk.told(lane)).to.deep.equal(['content_item_variant publish']);
  });

  it('hold what was committed and nothing else: visible and queued are one', async () => {
    const { lane } = await desk.webhook();
    await desk.bench
      .run(async (session) => {
        await desk.publish(session, 'lost');
        throw new Error('no');
      })
      .catch(() => {});
    expect(await desk.told(lane)).to.deep.equal([]);
    await desk.bench.run((session) => desk.publish(session, 'kept'));
    const [only] = await desk.store.upcoming(lane, 10);
    expect(only && codenamesIn(only)).to.deep.equal(['kept']);
    const change = await desk.bench.sql.get<{ sequence: number }>(
      `SELECT sequence FROM change WHERE operation = 'publish'`,
    );
    expect(Math.floor((only?.position.event ?? 0) / 1000)).to.equal(change?.sequence);
  });

  it('are not written to where a project has no webhook', async () => {
    await desk.bench.run((session) => desk.publish(session));
    expect(await desk.bench.sql.get('SELECT number FROM webhook_event LIMIT 1')).to.equal(undefined);
  });

  it('announce the project with the commit, so that nobody has to look', async () => {
    const announced: number[][] = [];
    desk.bench.storage.onCommit((changes) => announced.push([...changes.announced]));
    await desk.webhook();
    await desk.bench.run(async (session) => {
      await createItem(session, { name: 'draft', type: NOTE });
    });
    await desk.bench.run((session) => desk.publish(session));
    expect(announced).to.deep.equal([[], [], [desk.bench.project.number]]);
  });

  it('have one notification for one operation on several items, in the order of the events', async () => {
    const { lane } = await desk.webhook();
    await desk.bench.run(async (session) => {
      await desk.publish(session, 'a');
      await createTaxonomy(session, { name: 'Topics' });
      await desk.publish(session, 'b');
    });
    const upcoming = await desk.store.upcoming(lane, 10);
    expect(upcoming.map(codenamesIn)).to.deep.equal([['a', 'b'], []]);
    expect(await desk.told(lane)).to.deep.equal(['content_item_variant publish', 'taxonomy upsert']);
  });

  it('split what affects more than 1,000 items, as the set was at the commit', async () => {
    const { lane } = await desk.webhook(['content_type']);
    let last = '';
    for (let done = 0; done < 1050; done += 210)
      await desk.bench.run(async (session) => {
        for (let index = 0; index < 210; index++) last = await desk.publish(session);
      });
    await desk.bench.run((session) =>
      updateType(session, NOTE, {
        elements: findType(session, NOTE).elements.map((element) => ({
          ...element,
          name: `${element.name}!`,
        })),
      }),
    );
    await desk.bench.run((session) => updateItem(session, { id: last }, { name: 'Renamed since' }));
    const parts = await desk.store.upcoming(lane, 10);
    expect(parts.map(codenamesIn).map(({ length }) => length)).to.deep.equal([1000, 50]);
    const all = parts.flatMap(codenamesIn);
    expect(new Set(all).size).to.equal(1050);
    expect(all).to.include(`note_${desk.count}`).and.not.to.include('renamed_since');
    expect(new Set(parts.map(({ message }) => message.id)).size).to.equal(2);
    // Each part is settled by itself.
    await desk.deliver(lane);
    expect((await desk.store.upcoming(lane, 10)).map(codenamesIn).map(({ length }) => length)).to.deep.equal([
      50,
    ]);
    await desk.deliver(lane);
    expect(await desk.store.upcoming(lane, 10)).to.deep.equal([]);
    expect(await desk.store.waiting()).to.deep.equal([]);
  });

  it('tell of an item once that is affected in two ways', async () => {
    const { lane } = await desk.webhook(['content_type']);
    await desk.bench.run(async (session) => {
      const id = await desk.publish(session, 'outer');
      await upsertVariant(session, { id: await desk.publish(session, 'other') }, ENGLISH, { elements: [] });
      await session.tx.run(
        'UPDATE variant SET draft = published WHERE item = (SELECT number FROM item WHERE id = ?)',
        [id],
      );
      await upsertVariant(session, { id }, ENGLISH, {
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
      await publishVariant(session, { id }, ENGLISH);
    });
    await desk.bench.run((session) =>
      updateType(session, NOTE, {
        elements: findType(session, NOTE).elements.map((element) => ({
          ...element,
          name: `${element.name}!`,
        })),
      }),
    );
    const [only] = await desk.store.upcoming(lane, 10);
    expect(only && codenamesIn(only).sort()).to.deep.equal(['other', 'outer']);
  });

  it('pass what their webhook did not choose, and do not look at it twice', async () => {
    const { lane } = await desk.webhook(['taxonomy']);
    const other = await desk.webhook();
    await desk.bench.run((session) => desk.publish(session));
    expect((await desk.store.waiting()).map((one) => one.lane)).to.deep.equal([other.lane]);
    expect(await desk.told(lane)).to.deep.equal([]);
    await desk.bench.run((session) => createTaxonomy(session, { name: 'Topics' }));
    await desk.bench.run((session) => desk.publish(session));
    expect(await desk.told(lane)).to.deep.equal(['taxonomy upsert']);
    expect((await desk.store.waiting()).map((one) => [one.lane, one.due])).to.deep.equal([
      [lane, null],
      [other.lane, null],
    ]);
  });

  it('learn what their webhook chose where a migration opened them', async () => {
    const { lane } = await desk.webhook(['taxonomy']);
    const older = await desk.webhook();
    await desk.bench.storage.write((tx) => tx.run('UPDATE webhook_lane SET mask = 1073741823'));
    await desk.bench.run((session) => desk.publish(session));
    expect(await desk.told(lane)).to.deep.equal([]);
    // As a version of the service made it that knew fewer kinds.
    await desk.bench.storage.write((tx) =>
      tx.run('UPDATE webhook_lane SET mask = 1 WHERE number = ?', [older.lane]),
    );
    await fillMasks(desk.bench.storage);
    const masks = await desk.bench.sql.all<{ mask: number }>('SELECT mask FROM webhook_lane ORDER BY number');
    expect(masks.map(({ mask }) => mask)).to.deep.equal([
      maskOf({ contentChanges: [{ type: 'taxonomy', operations: [] }], workflowSteps: [] }),
      maskOf({ contentChanges: [], workflowSteps: [] }),
    ]);
  });

  it('are not written what no webhook of the project chose', async () => {
    await desk.webhook(['taxonomy']);
    await desk.bench.run((session) => desk.publish(session));
    expect(await desk.bench.sql.get('SELECT number FROM webhook_event LIMIT 1')).to.equal(undefined);
  });

  it('are with one owner at a time; another gets them when the lease ends', async () => {
    const { lane } = await desk.webhook();
    expect(await desk.store.claim([lane], 'me', LEASE)).to.have.length(1);
    expect(await desk.store.claim([lane], 'other', 1000)).to.have.length(0);
    // Each transaction of the bench is a minute later.
    expect(await desk.store.claim([lane], 'other', LEASE)).to.have.length(1);
    await desk.bench.run((session) => desk.publish(session));
    const [next] = await desk.store.upcoming(lane, 1);
    const [recorded] = next ? await desk.store.record('me', LEASE, [outcomeFor(lane, next)]) : [];
    expect(recorded?.lease).to.equal('lost');
    expect(await desk.store.upcoming(lane, 1)).to.deep.equal([next]);
  });

  it('keep what failed as their head, with its bytes; skipping it ends the lease, and what was under way is on record', async () => {
    const { lane, id } = await desk.webhook();
    await desk.bench.run((session) => desk.publish(session, 'head'));
    await desk.bench.run((session) => desk.publish(session, 'behind'));
    const due = '2030-02-01T00:00:00.0000000Z';
    const [failed] = await desk.deliver(lane, { state: 'pending', due });
    expect(failed?.failingSince).to.deep.equal([null, '2030-01-01T00:00:00.0000000Z']);
    expect((await desk.store.waiting()).map((one) => [one.lane, one.due])).to.deep.equal([[lane, due]]);
    const [head] = await desk.store.upcoming(lane, 2);
    expect(head).to.include({ attempts: 1, firstAttempt: '2030-01-01T00:00:00.0000000Z' });
    expect(head?.body).to.contain('"codename":"head"');
    await desk.bench.run(async (session) => skipHead(session, await findLane(session, id)));
    const [late] = head ? await desk.store.record('me', LEASE, [outcomeFor(lane, head)]) : [];
    expect(late?.lease).to.equal('lost');
    const log = await desk.bench.sql.all(
      `SELECT n.state AS state, n.attempts AS attempts, count(*) AS entered FROM webhook_notification n
       JOIN webhook_attempt a ON a.notification = n.number GROUP BY n.number`,
    );
    expect(log).to.deep.equal([{ state: 2, attempts: 1, entered: 2 }]);
    expect((await desk.store.upcoming(lane, 2)).map(codenamesIn)).to.deep.equal([['behind']]);
    const [healed] = await desk.deliver(lane);
    expect(healed?.failingSince).to.deep.equal(['2030-01-01T00:00:00.0000000Z', null]);
  });

  it('record nothing of a lane that was moved on', async () => {
    const { lane } = await desk.webhook();
    await desk.bench.run((session) => desk.publish(session));
    await desk.store.claim([lane], 'me', LEASE);
    const [next] = await desk.store.upcoming(lane, 1);
    if (!next) throw new Error('Nothing is queued.');
    expect((await desk.store.record('me', LEASE, [outcomeFor(lane, next)]))[0]?.lease).to.equal('kept');
    expect((await desk.store.record('me', LEASE, [outcomeFor(lane, next)]))[0]?.lease).to.equal('lost');
    const rows = await desk.bench.sql.all('SELECT number FROM webhook_notification');
    expect(rows).to.have.length(1);
  });

  it('record nothing of a database that a backup took the place of: what waited in that is still told', async () => {
    const { lane } = await desk.webhook();
    for (const name of ['one', 'two']) await desk.bench.run((session) => desk.publish(session, name));
    await desk.store.claim([lane], 'me', LEASE);
    const backup = join(desk.bench.folder, 'backup.db');
    await desk.bench.storage.copyTo(backup);
    await desk.deliver(lane);
    await desk.deliver(lane);
    await desk.bench.run((session) => desk.publish(session, 'three'));
    const [underWay] = await desk.store.upcoming(lane, 1);
    await desk.bench.storage.replaceWith(backup);
    const [recorded] = await desk.store.record('me', LEASE, [outcomeFor(lane, underWay!)]);
    expect(recorded?.lease).to.equal('lost');
    expect((await desk.store.upcoming(lane, 10)).flatMap(codenamesIn)).to.deep.equal(['one', 'two']);
  });

  it('tell of steps of the workflow whom asked for them, of those chosen alone', async () => {
    const { published, draft, archived } = WORKFLOW;
    const addFor = async (transitionsTo: readonly { id: string }[]) => {
      const { id } = await desk.bench.run((session) =>
        addWebhook(session, {
          name: 'Steps',
          url: 'https://example.com/steps',
          contentChanges: [],
          workflowSteps: [{ type: 'content_item_variant', transitionsTo }],
        }),
      );
      const row = await desk.bench.sql.get<{ number: number }>(
        'SELECT number FROM webhook_lane WHERE webhook = ?',
        [id],
      );
      return row?.number ?? 0;
    };
    const everyStep = await addFor([]);
    const onlyPublished = await addFor([{ id: published.id }]);
    const id = await desk.bench.run((session) => desk.publish(session, 'moving'));
    await desk.bench.run((session) => newVersion(session, { id }, ENGLISH));
    await desk.bench.run((session) => schedulePublish(session, { id }, ENGLISH, '2999-01-01T00:00:00Z'));
    await desk.bench.run((session) => cancelScheduledPublish(session, { id }, ENGLISH));
    await desk.bench.run((session) => deleteVariant(session, { id }, ENGLISH));
    const moves = async (lane: number) =>
      (await desk.store.upcoming(lane, 20)).map(({ message }) => {
        const [moved] = message.items as MovedItem[];
        return [message.apiName, message.operation, moved?.item === id, moved?.from, moved?.to];
      });
    const told = (from: string, to: string) => ['content_management', 'change_workflow_step', true, from, to];
    expect(await moves(everyStep)).to.deep.equal([
      told(draft.id, published.id),
      told(published.id, draft.id),
      told(draft.id, WORKFLOW.scheduled.id),
      told(WORKFLOW.scheduled.id, draft.id),
      told(draft.id, archived.id),
    ]);
    expect(await moves(onlyPublished)).to.deep.equal([told(draft.id, published.id)]);
    // What was not chosen is passed for good.
    await desk.deliver(onlyPublished);
    expect(await moves(onlyPublished)).to.deep.equal([]);
    expect((await desk.store.waiting()).map(({ lane }) => lane)).to.deep.equal([everyStep]);
  });
});
