import { expect } from 'chai';
import { createItem, updateItem } from '../../core/content/items.ts';
import { createTaxonomy } from '../../core/content/taxonomies.ts';
import { createType, findType, updateType } from '../../core/content/types.ts';
import { deleteVariant, upsertVariant } from '../../core/content/variants.ts';
import { WORKFLOW } from '../../core/content/workflow.ts';
import { newVersion, publishVariant } from '../../core/publishing/publish.ts';
import { cancelScheduledPublish, schedulePublish } from '../../core/publishing/schedule.ts';
import type { Session } from '../../core/session.ts';
import { maskOf } from '../../core/webhooks/event-kinds.ts';
import { findLane } from '../../core/webhooks/find-lane.ts';
import { skipHead } from '../../core/webhooks/lane-controls.ts';
import { LaneStore, type Outcome, type Upcoming } from '../../core/webhooks/lane-store.ts';
import { LogRetention } from '../../core/webhooks/log-retention.ts';
import type { AffectedItem, MovedItem } from '../../core/webhooks/message.ts';
import { fillMasks } from '../../core/webhooks/open-lane.ts';
import { addWebhook, deleteWebhook } from '../../core/webhooks/registrations.ts';
import { openWorkbench, type Workbench } from '../support/workbench.ts';

const en = { codename: 'en' };
const NOTE = { codename: 'note' };
const LEASE = 90_000;

describe('lanes of webhooks', () => {
  let bench: Workbench;
  let store: LaneStore;
  let count = 0;

  beforeEach(async () => {
    bench = await openWorkbench();
    store = new LaneStore(bench.storage);
    await bench.run((session) =>
      createType(session, {
        name: 'Note',
        elements: [
          { type: 'text', name: 'Text' },
          { type: 'rich_text', name: 'Body' },
        ],
      }),
    );
  });
  afterEach(() => bench.close());

  const webhook = async (types: readonly string[] = []) => {
    const { id } = await bench.run((session) =>
      addWebhook(session, {
        name: 'Hook',
        url: 'https://example.com/hook',
        contentChanges: types.map((type) => ({ type, operations: [] })),
        workflowSteps: [],
      }),
    );
    const row = await bench.sql.get<{ number: number }>('SELECT number FROM webhook_lane WHERE webhook = ?', [
      id,
    ]);
    return { id, lane: row?.number ?? 0 };
  };
  const publish = async (session: Session, name = `note ${++count}`) => {
    const { id } = await createItem(session, { name, type: NOTE });
    await upsertVariant(session, { id }, en, { elements: [{ element: { codename: 'text' }, value: name }] });
    await publishVariant(session, { id }, en);
    return id;
  };
  const told = async (lane: number, limit = 100) =>
    (await store.upcoming(lane, limit)).map(({ message }) => `${message.type} ${message.operation}`);
  const codenames = ({ message }: Upcoming) =>
    (message.items as AffectedItem[]).map(({ codename }) => codename);
  const outcome = (
    lane: number,
    notification: Upcoming,
    result: Outcome['result'] = { state: 'delivered' },
  ): Outcome => ({
    lane,
    notification,
    body: '{}',
    attempt: { at: '2030-01-01T00:00:00.0000000Z', durationMs: 3, status: 200, answer: null, error: null },
    result,
  });
  const deliver = async (lane: number, result?: Outcome['result']) => {
    await store.claim([lane], 'me', LEASE);
    const [next] = await store.upcoming(lane, 1);
    if (!next) throw new Error('Nothing is queued.');
    return store.record('me', LEASE, [outcome(lane, next, result)]);
  };

  it('begin behind everything that was there before, in the very transaction too', async () => {
    await bench.run((session) => publish(session));
    const { lane } = await webhook();
    expect(await told(lane)).to.deep.equal([]);
    await bench.run((session) => publish(session));
    expect(await told(lane)).to.deep.equal(['content_item_variant publish']);
  });

  it('hold what was committed and nothing else: visible and queued are one', async () => {
    const { lane } = await webhook();
    await bench
      .run(async (session) => {
        await publish(session, 'lost');
        throw new Error('no');
      })
      .catch(() => {});
    expect(await told(lane)).to.deep.equal([]);
    await bench.run((session) => publish(session, 'kept'));
    const [only] = await store.upcoming(lane, 10);
    expect(only && codenames(only)).to.deep.equal(['kept']);
    const change = await bench.sql.get<{ sequence: number }>(
      `SELECT sequence FROM change WHERE operation = 'publish'`,
    );
    expect(Math.floor((only?.position.event ?? 0) / 1000)).to.equal(change?.sequence);
  });

  it('are not written to where a project has no webhook', async () => {
    await bench.run((session) => publish(session));
    expect(await bench.sql.get('SELECT number FROM webhook_event LIMIT 1')).to.equal(undefined);
  });

  it('announce the project with the commit, so that nobody has to look', async () => {
    const announced: number[][] = [];
    bench.storage.onCommit((changes) => announced.push([...changes.announced]));
    await webhook();
    await bench.run(async (session) => {
      await createItem(session, { name: 'draft', type: NOTE });
    });
    await bench.run((session) => publish(session));
    expect(announced).to.deep.equal([[], [], [bench.project.number]]);
  });

  it('have one notification for one operation on several items, in the order of the events', async () => {
    const { lane } = await webhook();
    await bench.run(async (session) => {
      await publish(session, 'a');
      await createTaxonomy(session, { name: 'Topics' });
      await publish(session, 'b');
    });
    const upcoming = await store.upcoming(lane, 10);
    expect(upcoming.map(codenames)).to.deep.equal([['a', 'b'], []]);
    expect(await told(lane)).to.deep.equal(['content_item_variant publish', 'taxonomy upsert']);
  });

  it('split what affects more than 1,000 items, as the set was at the commit', async () => {
    const { lane } = await webhook(['content_type']);
    let last = '';
    for (let done = 0; done < 1050; done += 210)
      await bench.run(async (session) => {
        for (let index = 0; index < 210; index++) last = await publish(session);
      });
    await bench.run((session) =>
      updateType(session, NOTE, {
        elements: findType(session, NOTE).elements.map((element) => ({
          ...element,
          name: `${element.name}!`,
        })),
      }),
    );
    await bench.run((session) => updateItem(session, { id: last }, { name: 'Renamed since' }));
    const parts = await store.upcoming(lane, 10);
    expect(parts.map(codenames).map(({ length }) => length)).to.deep.equal([1000, 50]);
    const all = parts.flatMap(codenames);
    expect(new Set(all).size).to.equal(1050);
    expect(all).to.include(`note_${count}`).and.not.to.include('renamed_since');
    expect(new Set(parts.map(({ message }) => message.id)).size).to.equal(2);
    // Each part is settled by itself.
    await deliver(lane);
    expect((await store.upcoming(lane, 10)).map(codenames).map(({ length }) => length)).to.deep.equal([50]);
    await deliver(lane);
    expect(await store.upcoming(lane, 10)).to.deep.equal([]);
    expect(await store.waiting()).to.deep.equal([]);
  });

  it('tell of an item once that is affected in two ways', async () => {
    const { lane } = await webhook(['content_type']);
    await bench.run(async (session) => {
      const id = await publish(session, 'outer');
      await upsertVariant(session, { id: await publish(session, 'other') }, en, { elements: [] });
      await session.tx.run(
        'UPDATE variant SET draft = published WHERE item = (SELECT number FROM item WHERE id = ?)',
        [id],
      );
      await upsertVariant(session, { id }, en, {
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
      await publishVariant(session, { id }, en);
    });
    await bench.run((session) =>
      updateType(session, NOTE, {
        elements: findType(session, NOTE).elements.map((element) => ({
          ...element,
          name: `${element.name}!`,
        })),
      }),
    );
    const [only] = await store.upcoming(lane, 10);
    expect(only && codenames(only).sort()).to.deep.equal(['other', 'outer']);
  });

  it('pass what their webhook did not choose, and do not look at it twice', async () => {
    const { lane } = await webhook(['taxonomy']);
    const other = await webhook();
    await bench.run((session) => publish(session));
    expect((await store.waiting()).map((one) => one.lane)).to.deep.equal([other.lane]);
    expect(await told(lane)).to.deep.equal([]);
    await bench.run((session) => createTaxonomy(session, { name: 'Topics' }));
    await bench.run((session) => publish(session));
    expect(await told(lane)).to.deep.equal(['taxonomy upsert']);
    expect((await store.waiting()).map((one) => [one.lane, one.due])).to.deep.equal([
      [lane, null],
      [other.lane, null],
    ]);
  });

  it('learn what their webhook chose where a migration opened them', async () => {
    const { lane } = await webhook(['taxonomy']);
    await webhook();
    await bench.storage.write((tx) => tx.run('UPDATE webhook_lane SET mask = 1073741823'));
    await bench.run((session) => publish(session));
    expect(await told(lane)).to.deep.equal([]);
    await fillMasks(bench.storage);
    const masks = await bench.sql.all<{ mask: number }>('SELECT mask FROM webhook_lane ORDER BY number');
    expect(masks.map(({ mask }) => mask)).to.deep.equal([
      maskOf({ contentChanges: [{ type: 'taxonomy', operations: [] }], workflowSteps: [] }),
      maskOf({ contentChanges: [], workflowSteps: [] }),
    ]);
  });

  it('are not written what no webhook of the project chose', async () => {
    await webhook(['taxonomy']);
    await bench.run((session) => publish(session));
    expect(await bench.sql.get('SELECT number FROM webhook_event LIMIT 1')).to.equal(undefined);
  });

  it('are with one owner at a time; another gets them when the lease ends', async () => {
    const { lane } = await webhook();
    expect(await store.claim([lane], 'me', LEASE)).to.have.length(1);
    expect(await store.claim([lane], 'other', 1000)).to.have.length(0);
    // Each transaction of the bench is a minute later.
    expect(await store.claim([lane], 'other', LEASE)).to.have.length(1);
    await bench.run((session) => publish(session));
    const [next] = await store.upcoming(lane, 1);
    const [recorded] = next ? await store.record('me', LEASE, [outcome(lane, next)]) : [];
    expect(recorded?.lease).to.equal('lost');
    expect(await store.upcoming(lane, 1)).to.deep.equal([next]);
  });

  it('keep what failed as their head, with its bytes; skipping it ends the lease', async () => {
    const { lane, id } = await webhook();
    await bench.run((session) => publish(session, 'head'));
    await bench.run((session) => publish(session, 'behind'));
    const due = '2030-02-01T00:00:00.0000000Z';
    const [failed] = await deliver(lane, { state: 'pending', due });
    expect(failed?.failingSince).to.deep.equal([null, '2030-01-01T00:00:00.0000000Z']);
    expect((await store.waiting()).map((one) => [one.lane, one.due])).to.deep.equal([[lane, due]]);
    const [head] = await store.upcoming(lane, 2);
    expect(head).to.include({ attempts: 1, body: '{}', firstAttempt: '2030-01-01T00:00:00.0000000Z' });
    await bench.run(async (session) => skipHead(session, await findLane(session, id)));
    const [late] = head ? await store.record('me', LEASE, [outcome(lane, head)]) : [];
    expect(late?.lease).to.equal('lost');
    expect((await store.upcoming(lane, 2)).map(codenames)).to.deep.equal([['behind']]);
    const [healed] = await deliver(lane);
    expect(healed?.failingSince).to.deep.equal(['2030-01-01T00:00:00.0000000Z', null]);
  });

  it('record nothing of a lane that was moved on', async () => {
    const { lane } = await webhook();
    await bench.run((session) => publish(session));
    await store.claim([lane], 'me', LEASE);
    const [next] = await store.upcoming(lane, 1);
    if (!next) throw new Error('Nothing is queued.');
    expect((await store.record('me', LEASE, [outcome(lane, next)]))[0]?.lease).to.equal('kept');
    expect((await store.record('me', LEASE, [outcome(lane, next)]))[0]?.lease).to.equal('lost');
    const rows = await bench.sql.all('SELECT number FROM webhook_notification');
    expect(rows).to.have.length(1);
  });

  it('tell of steps of the workflow whom asked for them, of those chosen alone', async () => {
    const { published, draft, archived } = WORKFLOW;
    const addFor = async (transitionsTo: readonly { id: string }[]) => {
      const { id } = await bench.run((session) =>
        addWebhook(session, {
          name: 'Steps',
          url: 'https://example.com/steps',
          contentChanges: [],
          workflowSteps: [{ type: 'content_item_variant', transitionsTo }],
        }),
      );
      const row = await bench.sql.get<{ number: number }>(
        'SELECT number FROM webhook_lane WHERE webhook = ?',
        [id],
      );
      return row?.number ?? 0;
    };
    const everyStep = await addFor([]);
    const onlyPublished = await addFor([{ id: published.id }]);
    const id = await bench.run((session) => publish(session, 'moving'));
    await bench.run((session) => newVersion(session, { id }, en));
    await bench.run((session) => schedulePublish(session, { id }, en, '2999-01-01T00:00:00Z'));
    await bench.run((session) => cancelScheduledPublish(session, { id }, en));
    await bench.run((session) => deleteVariant(session, { id }, en));
    const moves = async (lane: number) =>
      (await store.upcoming(lane, 20)).map(({ message }) => {
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
    await deliver(onlyPublished);
    expect(await moves(onlyPublished)).to.deep.equal([]);
    expect((await store.waiting()).map(({ lane }) => lane)).to.deep.equal([everyStep]);
  });

  describe('and their log', () => {
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
          async (table) => (await bench.sql.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`))?.n,
        ),
      );
    };
    const sweep = (now: string, days = 1) =>
      new LogRetention(
        bench.storage,
        days,
        () => new Date(now),
        (error) => {
          throw error;
        },
      ).sweep();

    it('lose what was settled long ago, never what is not delivered yet', async () => {
      const { lane } = await webhook();
      for (let index = 0; index < 3; index++) await bench.run((session) => publish(session));
      await deliver(lane);
      await deliver(lane, { state: 'dropped', note: 'old' });
      await deliver(lane, { state: 'pending', due: '2030-01-01T05:00:00.0000000Z' });
      await sweep('2030-01-01T12:00:00Z');
      expect(await counts()).to.deep.equal([3, 0, 3, 3, 1]);
      await sweep('2031-01-01T00:00:00Z');
      // The event at the cursor stays: parts of it may be left.
      expect(await counts()).to.deep.equal([2, 0, 1, 1, 1]);
      expect((await store.upcoming(lane, 5)).length).to.equal(1);
    });

    it('are gone with a deleted webhook, events with the last one', async () => {
      const { lane, id } = await webhook();
      await bench.run((session) => publish(session));
      await bench.run((session) => publish(session));
      await deliver(lane);
      await deliver(lane, { state: 'pending', due: '2030-01-01T05:00:00.0000000Z' });
      await bench.run((session) => deleteWebhook(session, id));
      expect(await store.waiting()).to.deep.equal([]);
      expect(await store.upcoming(lane, 5)).to.deep.equal([]);
      expect((await store.claim([lane], 'me', LEASE))[0]?.stopped).to.equal(true);
      await sweep('2030-01-01T12:00:00Z');
      expect(await counts()).to.deep.equal([0, 0, 0, 0, 0]);
    });

    it('are not held back by a webhook that chose nothing of it', async () => {
      await webhook(['taxonomy']);
      const { lane } = await webhook();
      for (let index = 0; index < 3; index++) await bench.run((session) => publish(session));
      for (let index = 0; index < 3; index++) await deliver(lane);
      await sweep('2031-01-01T00:00:00Z');
      expect((await counts())[0]).to.equal(1);
    });
  });
});
