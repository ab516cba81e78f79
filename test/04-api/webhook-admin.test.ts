/** The delivery log and what operators do with webhooks, over HTTP and a real receiver. */
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { findJob } from '../../core/jobs/jobs.ts';
import { Replays } from '../../core/webhooks/operator/replays.ts';
import { findWebhookQueue } from '../../core/webhooks/queues/find-webhook-queue.ts';
import { addWebhook } from '../../core/webhooks/registrations.ts';
import { AWAY, failingWrites } from '../support/database/failing-writes.ts';
import { NotesService } from '../support/projects/notes-service.ts';
import { answering, isSigned, type Receiver, startReceiver } from '../support/webhooks/receiver.ts';

interface AttemptJson {
  readonly at: string;
  readonly status: number | null;
  readonly duration_ms: number;
  readonly answer: string | null;
  readonly error: string | null;
  readonly manual: boolean;
}
interface NotificationJson {
  readonly id: string;
  readonly type: string;
  readonly operation: string;
  readonly state: string;
  readonly note: string | null;
  readonly created: string;
  readonly attempts: readonly AttemptJson[];
  readonly next_attempt: string | null;
}
interface LogJson {
  readonly notifications: readonly NotificationJson[];
  readonly pagination: { readonly next: string | null };
}
interface SentJson {
  readonly id: string;
  readonly delivered: boolean;
  readonly attempt: AttemptJson;
}
interface WebhookJson {
  readonly id: string;
  readonly enabled: boolean;
  readonly state: string;
  readonly failing_since: string | null;
  readonly waiting: number;
  readonly next_attempt: string | null;
}

const UNKNOWN = '6f3a1c62-0000-4000-8000-000000000000';

describe('admin API: webhooks', () => {
  let notes: NotesService;
  let receiver: Receiver;
  let webhook = '';
  let path = '';
  let count = 0;

  before(async () => {
    notes = await NotesService.start({
      unlimited: true,
      environment: { HEADWATER_WEBHOOKS__ALLOW: '127.0.0.1' },
    });
    receiver = await startReceiver();
  });
  after(async () => {
    await notes.stop();
    await receiver.close();
  });

  /** A webhook of its own for each test, with the secret `secret`. */
  beforeEach(async () => {
    path = `/${++count}`;
    webhook = await notes.run(async (transaction) => {
      const { id } = await addWebhook(transaction, {
        name: `Hook ${count}`,
        url: `${receiver.url}${path}`,
        secret: 'secret',
        contentChanges: [{ type: 'content_item_variant', operations: [] }],
        workflowSteps: [],
      });
      return id;
    });
  });
  afterEach(async () => {
    await notes.manage('DELETE', `webhooks/${webhook}`);
  });

  const call = <Body>(method: string, what = '', body?: unknown) =>
    notes.admin<Body>(method, `webhooks/${webhook}${what && `/${what}`}`, body);
  const log = async (query = '') => (await call<LogJson>('GET', `notifications${query}`)).body;
  const state = async () => (await call<WebhookJson>('GET')).body;
  const settled = () => notes.service.core.webhooks.settled();
  /** Published notes, one change each. */
  const publish = async (...names: string[]) => {
    for (const name of names) {
      const id = await notes.note(`${name} ${count}`);
      expect(await notes.manage('PUT', `items/${id}/variants/codename/en/publish`)).to.equal(204);
    }
    await settled();
  };
  const codenames = () =>
    receiver.at(path).map(({ body }) => JSON.parse(body).data.items[0]?.codename.replace(/_\d+$/, ''));

  it('list deliveries, newest first, with each attempt', async () => {
    receiver.behave(path, answering(202, 'thank you'));
    await publish('one', 'two');
    const { notifications } = await log();
    expect(notifications.map(({ state, type, operation }) => [state, type, operation])).to.deep.equal([
      ['delivered', 'content_item_variant', 'publish'],
      ['delivered', 'content_item_variant', 'publish'],
    ]);
    const ids = receiver.at(path).map(({ id }) => id);
    expect(notifications.map(({ id }) => id)).to.deep.equal([...ids].reverse());
    expect(notifications[0]?.attempts).to.have.length(1);
    expect(notifications[0]?.attempts[0]).to.include({
      status: 202,
      answer: 'thank you',
      error: null,
      manual: false,
    });
    expect(await state()).to.include({ state: 'working', waiting: 0, failing_since: null });
  });

  it('are signed so that an independent library verifies them', async () => {
    await publish('signed');
    const [received] = receiver.at(path);
    expect(received && isSigned(received, 'secret')).to.equal(true);
    const headers = Object.fromEntries(
      Object.entries(received?.headers ?? {}).map(([name, value]) => [name, String(value)]),
    );
    new Webhook(Buffer.from('secret').toString('base64')).verify(received?.body ?? '', headers);
    expect(headers['x-svc-message-project-id']).to.equal(notes.project);
  });

  it('show the failing notification with its next attempt, and those behind it', async () => {
    receiver.behave(path, answering(500, 'x'.repeat(5000)));
    await publish('head', 'second', 'third');
    const { notifications } = await log('?state=pending');
    expect(notifications.map(({ attempts }) => attempts.length)).to.deep.equal([0, 0, 1]);
    const head = notifications[2];
    expect(head?.attempts[0]).to.include({ status: 500, answer: 'x'.repeat(2048) });
    expect(Date.parse(head?.next_attempt ?? '') - Date.now()).to.be.within(50_000, 60_000);
    expect(await log('?state=delivered')).to.deep.equal({ notifications: [], pagination: { next: null } });
    expect(await state()).to.include({ state: 'failing', waiting: 2 });
    expect(codenames()).to.deep.equal(['head']);
  });

  it('are listed in contiguous pages, from queued to attempted ones', async () => {
    await publish('a', 'b');
    receiver.behave(path, answering(503));
    await publish('c', 'd', 'e');
    const whole = (await log()).notifications.map(({ id }) => id);
    expect(whole).to.have.length(5);
    const paged: string[] = [];
    for (let after = ''; ; ) {
      const page = await log(`?limit=2&after=${after}`);
      paged.push(...page.notifications.map(({ id }) => id));
      if (page.pagination.next === null) break;
      after = page.pagination.next;
    }
    expect(paged).to.deep.equal(whole);
  });

  it('are sent again on request, marked, without a change of the schedule', async () => {
    receiver.behave(path, answering(500));
    await publish('again', 'behind');
    const [, before] = (await log()).notifications;
    receiver.behave(path, answering(200, 'now'));
    const { status, body } = await call<SentJson>('POST', `notifications/${before?.id}/replay`);
    expect([status, body.delivered, body.id]).to.deep.equal([200, true, before?.id]);
    const [first, second] = receiver.at(path);
    expect(second?.body).to.equal(first?.body);
    expect([first, second].map((one) => one?.headers['x-svc-message-mark'])).to.deep.equal([
      undefined,
      'replay',
    ]);
    const after = (await log()).notifications[1];
    expect(after).to.include({ state: 'pending', next_attempt: before?.next_attempt });
    expect(after?.attempts.map(({ manual }) => manual)).to.deep.equal([false, true]);
  });

  it('refuse a replay before the first attempt, and of unknown notifications', async () => {
    receiver.behave(path, answering(500));
    await publish('head', 'waiting');
    const [waiting] = (await log()).notifications;
    expect((await call('POST', `notifications/${waiting?.id}/replay`)).status).to.equal(409);
    expect((await call('POST', `notifications/${UNKNOWN}/replay`)).status).to.equal(404);
  });

  it('continue when the head is skipped, and record that', async () => {
    receiver.behave(path, answering(500));
    await publish('blocked', 'free');
    receiver.behave(path, answering(200));
    const [, head] = (await log()).notifications;
    const { status, body } = await call<{ id: string }>('POST', 'skip-head');
    expect([status, body.id]).to.deep.equal([200, head?.id]);
    await receiver.until(receiver.record.length + (codenames().length === 2 ? 0 : 1));
    await settled();
    expect(codenames()).to.deep.equal(['blocked', 'free']);
    const states = (await log()).notifications.map(({ state, note }) => [state, note]);
    expect(states).to.deep.equal([
      ['delivered', null],
      ['dropped', 'It was skipped by hand.'],
    ]);
    expect((await call('POST', 'skip-head')).status).to.equal(409);
    const audit = await notes.admin<{ audit: { act: string }[] }>('GET', '/audit');
    expect(audit.body.audit.map(({ act }) => act)).to.include(
      'POST projects/:project/webhooks/:webhook/skip-head',
    );
  });

  it('keep the notification that blocks them where another one was meant', async () => {
    receiver.behave(path, answering(500));
    await publish('blocking', 'behind');
    const [, head] = (await log()).notifications;
    const shown = await call<{ blocked_by: string | null }>('GET');
    expect(shown.body.blocked_by).to.equal(head?.id);
    const refused = await call('POST', 'skip-head', { notification: UNKNOWN });
    expect(refused.status).to.equal(412);
    // What a page that has seen none would send.
    expect((await call('POST', 'skip-head', { notification: null })).status).to.equal(400);
    expect((await log()).notifications.map(({ state }) => state)).to.deep.equal(['pending', 'pending']);
    expect((await call('POST', 'skip-head', { notification: head?.id.toUpperCase() })).status).to.equal(200);
  });

  it('queue while they are paused and are sent in order afterwards', async () => {
    expect((await call('PUT', 'disable')).status).to.equal(204);
    await publish('p', 'q', 'r');
    expect(codenames()).to.deep.equal([]);
    expect(await state()).to.include({ enabled: false, waiting: 3 });
    const before = receiver.record.length;
    expect((await call('PUT', 'enable')).status).to.equal(204);
    await receiver.until(before + 3);
    expect(codenames()).to.deep.equal(['p', 'q', 'r']);
  });

  it('can be tested at any time with a marked notification', async () => {
    await call('PUT', 'disable');
    receiver.behave(path, answering(200, 'hello'));
    const { body } = await call<SentJson>('POST', 'test');
    expect(body.delivered).to.equal(true);
    const [received] = receiver.at(path);
    expect(JSON.parse(received?.body ?? '').message).to.include({
      id: body.id,
      type: 'webhook',
      operation: 'test',
    });
    expect(received?.headers['x-svc-message-mark']).to.equal('test');
    receiver.behave(path, answering(404));
    expect((await call<SentJson>('POST', 'test')).body).to.include({ delivered: false });
    const states = (await log()).notifications.map(({ state, operation }) => [state, operation]);
    expect(states).to.deep.equal([
      ['dropped', 'test'],
      ['delivered', 'test'],
    ]);
    expect(await state()).to.include({ state: 'working' });
  });

  it('are replayed since a time, in order, as a job that ends at the first refusal', async () => {
    await publish('x', 'y', 'z');
    const since = (await log()).notifications[1]?.created;
    const { status, body } = await call<{ job: string; total: number }>('POST', 'replay-since', { since });
    expect([status, body.total]).to.deep.equal([201, 2]);
    await notes.service.core.operations.webhooks.replays.idle();
    expect(codenames()).to.deep.equal(['x', 'y', 'z', 'y', 'z']);
    const bodies = receiver.at(path).map(({ body }) => body);
    expect(bodies.slice(3)).to.deep.equal(bodies.slice(1, 3));
    const job = async (id: string) => (await notes.admin<Record<string, unknown>>('GET', `/jobs/${id}`)).body;
    expect(await job(body.job)).to.include({ kind: 'webhook-replay', state: 'done', done: 2 });
    receiver.behave(path, answering(500));
    const refused = await call<{ job: string }>('POST', 'replay-since', { since: '2000-01-01' });
    await notes.service.core.operations.webhooks.replays.idle();
    const failed = await job(refused.body.job);
    expect(failed).to.include({ state: 'failed', done: 0 });
    expect(failed['error']).to.match(/answered 500/);
    expect(codenames()).to.have.length(6);
    for (const wrong of [{}, { since: 'soon' }, { since: '2026-02-30' }, { since, state: 'pending' }])
      expect((await call('POST', 'replay-since', wrong)).status, JSON.stringify(wrong)).to.equal(400);
  });

  it('are replayed since a time in UTC where it has no zone, wherever the service runs', async () => {
    await publish('x', 'y');
    const since = (await log()).notifications[0]?.created.replace('Z', '');
    const zone = process.env['TZ'];
    process.env['TZ'] = 'America/New_York';
    try {
      const { body } = await call<{ total: number }>('POST', 'replay-since', { since });
      expect(body.total).to.equal(1);
    } finally {
      if (zone === undefined) delete process.env['TZ'];
      else process.env['TZ'] = zone;
    }
    await notes.service.core.operations.webhooks.replays.idle();
  });

  it('end a replay with the reason when they are deleted during it', async () => {
    await publish('first', 'second');
    receiver.behave(path, async (_, response) => {
      await notes.manage('DELETE', `webhooks/${webhook}`);
      response.writeHead(204).end();
    });
    const { body } = await call<{ job: string }>('POST', 'replay-since', { since: '2000-01-01' });
    await notes.service.core.operations.webhooks.replays.idle();
    const { body: job } = await notes.admin<object>('GET', `/jobs/${body.job}`);
    expect(job).to.include({ state: 'failed', error: 'The webhook was deleted during the replay.' });
  });

  for (const [what, last] of [
    ['takes', 204],
    ['refuses', 500],
  ] as const)
    it(`cancel a replay also where the receiver ${what} what was under way`, async () => {
      await publish('only');
      let canceled: Promise<{ readonly status: number }> | undefined;
      receiver.behave(path, async (_, response) => {
        const { body } = await notes.admin<{ jobs: readonly { readonly id: string }[] }>('GET', '/jobs');
        canceled = notes.admin('DELETE', `/jobs/${body.jobs[0]?.id}`);
        await canceled;
        response.writeHead(last).end();
      });
      const { body } = await call<{ job: string }>('POST', 'replay-since', { since: '2000-01-01' });
      await notes.service.core.operations.webhooks.replays.idle();
      expect((await canceled)?.status).to.equal(204);
      const { body: job } = await notes.admin<object>('GET', `/jobs/${body.job}`);
      expect(job).to.include({ state: 'canceled', error: null });
    });

  it('end a replay that failed while the database was away, once that answers', async () => {
    await publish('only');
    const { storage, webhooks } = notes.service.core.operations;
    const prepare = () => Promise.reject(AWAY);
    const replays = new Replays(failingWrites(storage, 2), { ...webhooks.manualSending, prepare }, () => {});
    const range = { since: '2000-01-01' };
    const { queue, job } = await notes.run(async (transaction) => {
      const found = await findWebhookQueue(transaction, webhook);
      return { queue: found, job: (await replays.create(transaction, found, range)).id };
    });
    replays.run(job, queue, range);
    await replays.idle();
    expect(await findJob(storage.sql, job)).to.include({ state: 'failed', error: AWAY.message });
  });

  it('get a new secret, and both sign until the overlap ends', async () => {
    const { body } = await call<{ secret: string; previous_valid_until: string }>('POST', 'rotate-secret');
    expect(body.secret).to.match(/^[0-9a-f]{64}$/);
    expect(Date.parse(body.previous_valid_until) - Date.now()).to.be.within(86_390_000, 86_400_000);
    await publish('during');
    const [received] = receiver.at(path);
    expect(received && isSigned(received, 'secret')).to.equal(true);
    const other = received && {
      ...received,
      headers: { 'x-svc-signature': received.headers['x-svc-signature-alternate'] as string },
    };
    expect(other && isSigned(other, body.secret)).to.equal(true);
    const headers = Object.fromEntries(
      Object.entries(received?.headers ?? {}).map(([name, value]) => [name, String(value)]),
    );
    for (const secret of ['secret', body.secret])
      new Webhook(Buffer.from(secret).toString('base64')).verify(received?.body ?? '', headers);
    const everything = JSON.stringify([
      (await notes.admin('GET', 'webhooks')).body,
      (await log()).notifications,
      (await notes.admin('GET', '/audit')).body,
      (await notes.admin('GET', 'revisions')).body,
    ]);
    expect(everything).not.to.include(body.secret);
  });

  it('send manual notifications during the overlap so that either secret verifies them in either header', async () => {
    await publish('earlier');
    const [{ id: earlier }] = (await log()).notifications as [NotificationJson];
    const { body: rotated } = await call<{ secret: string }>('POST', 'rotate-secret');
    for (const known of ['secret', rotated.secret]) {
      receiver.behave(path, (request, response) =>
        answering(isSigned(request, known) ? 200 : 401)(request, response),
      );
      const { body: test } = await call<SentJson>('POST', 'test');
      expect(test, known).to.deep.include({ delivered: true });
      const { body: replay } = await call<SentJson>('POST', `notifications/${earlier}/replay`);
      expect(replay, known).to.deep.include({ delivered: true });
    }
    const entered = (await log()).notifications.find(({ id }) => id === earlier);
    expect(entered?.attempts.map(({ status, manual }) => [status, manual])).to.deep.equal([
      [204, false],
      [200, true],
      [401, true],
      [200, true],
    ]);
  });

  it('start at their registration and receive no earlier events', async () => {
    await publish('before');
    const { body } = await notes.admin<{ webhooks: WebhookJson[] }>('GET', 'webhooks');
    expect(body.webhooks.map(({ id }) => id)).to.include(webhook);
    const late = await notes.run((transaction) =>
      addWebhook(transaction, {
        name: 'Late',
        url: `${receiver.url}/late`,
        contentChanges: [],
        workflowSteps: [],
      }),
    );
    await publish('after');
    expect(receiver.at('/late')).to.have.length(1);
    await notes.manage('DELETE', `webhooks/${late.id}`);
    await publish('gone');
    expect(receiver.at('/late')).to.have.length(1);
  });

  it('keep a URL that version 0.2.0 stored, whatever its length, and take no other of it', async () => {
    const url = `${receiver.url}/${'%C3%A4'.repeat(100)}`;
    await notes.service.core.operations.storage.write((tx) =>
      tx.run('UPDATE webhook SET url = ? WHERE id = ?', [url, webhook]),
    );
    const change = (to: string) =>
      call<{ url: string }>('PUT', '', {
        name: 'Renamed',
        url: to,
        triggers: { delivery_api_content_changes: [], workflow_step_changes: [] },
      });
    const kept = await change(url);
    expect([kept.status, kept.body.url]).to.deep.equal([200, url]);
    expect((await change(`${url}x`)).status).to.equal(400);
  });

  it('keep triggers that version 0.2.0 stored, though they never occur, and take no others', async () => {
    const kept = [{ type: 'taxonomy', operations: ['publish'] }];
    await notes.service.core.operations.storage.write((tx) =>
      tx.run('UPDATE webhook SET triggers = ? WHERE id = ?', [
        JSON.stringify({ contentChanges: kept, workflowSteps: [] }),
        webhook,
      ]),
    );
    const change = (changes: object[]) =>
      call('PUT', '', {
        name: 'Renamed again',
        url: receiver.url,
        triggers: { delivery_api_content_changes: changes, workflow_step_changes: [] },
      });
    expect((await change(kept)).status).to.equal(200);
    expect((await change([...kept, { type: 'asset', operations: ['publish'] }])).status).to.equal(400);
    expect((await change([])).status).to.equal(200);
  });

  it('are 404 when there is no such webhook, state or page', async () => {
    for (const [method, what] of [
      ['GET', ''],
      ['GET', '/notifications'],
      ['POST', '/test'],
      ['POST', '/skip-head'],
      ['POST', '/rotate-secret'],
      ['PUT', '/enable'],
    ] as const)
      expect((await notes.admin(method, `webhooks/${UNKNOWN}${what}`)).status, what).to.equal(404);
    expect((await call('GET', 'notifications?state=lost')).status).to.equal(400);
    expect((await call('GET', 'notifications?after=x')).status).to.equal(400);
  });
});
