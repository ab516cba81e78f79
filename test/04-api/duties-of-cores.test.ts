/**
 * Background work of several cores on one PostgreSQL database: what a core that is killed or stalls had to do is continued
 * by another one, in order and once.
 */
import '../support/database/postgres-programs.ts';
import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { PassThrough } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { createManagementKey, createProject } from '../../core/access/projects.ts';
import { createUser } from '../../core/access/users.ts';
import { createItem } from '../../core/content/items.ts';
import { createType } from '../../core/content/types.ts';
import { upsertVariant } from '../../core/content/variants.ts';
import { publishVariant } from '../../core/publishing/publish.ts';
import { schedulePublish } from '../../core/publishing/schedule.ts';
import type { ProjectTransaction } from '../../core/transaction/project-transaction.ts';
import { exportProject } from '../../core/transfer/export-project.ts';
import { messageId } from '../../core/webhooks/message.ts';
import { addWebhook } from '../../core/webhooks/registrations.ts';
import { isLongForm, longTest } from '../support/long-form.ts';
import { ADMIN_TOKEN, CoresOnOneDatabase } from '../support/service/cores-on-one-database.ts';
import { type HeadwaterProcess, runHeadwater } from '../support/service/run-headwater.ts';
import { until } from '../support/until.ts';
import { checkOrder, type DeliveryRecord, startDeliveryRecord } from '../support/webhooks/delivery-record.ts';
import { type Receiver, startReceiver } from '../support/webhooks/receiver.ts';

const IMPORTED = '5a5a5a5a-0000-4000-8000-000000000001';
const QUEUES = 3;
const ENGLISH = { codename: 'default' };

describe('cores on one database', function () {
  this.timeout(120_000);

  let cores: CoresOnOneDatabase;
  let record: DeliveryRecord;
  /** Its webhook is not among those whose order is checked. */
  let silent: Receiver;
  let silentWebhook: string;
  let project: { readonly id: string; readonly user: string };
  let webhooks: string[];
  let isPublishing: boolean;
  let publishing: Promise<void>;

  beforeEach(async () => {
    cores = await CoresOnOneDatabase.open();
    record = await startDeliveryRecord(() => 1);
    record.isWell = true;
    silent = await startReceiver();
    project = await cores.core.operations.installation(null, async (to) => {
      const { id } = await createProject(to, { name: 'Shared' });
      const projects = [{ id, capabilities: ['manage-apis'] }];
      const user = await createUser(to, { name: 'Ann', email: 'ann@example.org', projects });
      return { id, user: user.id };
    });
    webhooks = await run(async (transaction) => {
      await createType(transaction, { name: 'Piece', elements: [{ type: 'text', name: 'Title' }] });
      const silence = { name: 'silent', url: `${silent.url}/`, contentChanges: [], workflowSteps: [] };
      silentWebhook = (await addWebhook(transaction, silence)).id;
      const ids: string[] = [];
      for (let queue = 0; queue < QUEUES; queue++) {
        const url = `${record.url}/${queue}`;
        const input = { name: `${queue}`, url, contentChanges: [], workflowSteps: [] };
        ids.push((await addWebhook(transaction, input)).id);
      }
      return ids;
    });
    isPublishing = true;
    publishing = Promise.resolve();
  });
  afterEach(async () => {
    isPublishing = false;
    await publishing;
    await cores.close();
    await record.close();
    await silent.close();
  });

  function run<T>(work: (transaction: ProjectTransaction) => Promise<T>): Promise<T> {
    return cores.core.operations.inProject(project.id, null, work);
  }

  async function addItem(transaction: ProjectTransaction, name: string): Promise<{ id: string }> {
    const { id } = await createItem(transaction, { name, type: { codename: 'piece' } });
    await upsertVariant(transaction, { id }, ENGLISH, {
      elements: [{ element: { codename: 'title' }, value: name }],
    });
    return { id };
  }

  async function publish(name: string): Promise<void> {
    await run(async (transaction) => publishVariant(transaction, await addItem(transaction, name), ENGLISH));
  }

  async function publishOnAndOn(): Promise<void> {
    for (let number = 0; isPublishing; number++) {
      await publish(`item ${number}`);
      await pause(60);
    }
  }

  /** A key whose expiry a mail announces at once. */
  async function keyThatExpires(): Promise<void> {
    await cores.core.operations.installation(null, (to) =>
      createManagementKey(to, project.id, project.user, 3),
    );
  }

  function rows<T>(text: string): Promise<T[]> {
    return cores.core.operations.storage.sql.all<T>(text);
  }

  const jobs = (kind: string) =>
    rows<{ state: string; error: string | null }>(`SELECT state, error FROM job WHERE kind = '${kind}'`);
  const owners = async () =>
    (await rows<{ owner: string }>('SELECT DISTINCT owner FROM webhook_progress')).map(({ owner }) => owner);

  /** @returns number of notifications that were sent twice */
  async function checkQueues(): Promise<number> {
    const events = await rows<{ id: string }>('SELECT id FROM webhook_event ORDER BY number');
    const received = (queue: number) => record.entries.filter(({ path }) => path === `/${queue}`);
    const expected = webhooks.map((webhook) => events.map(({ id }) => messageId(id, webhook, 0)));
    const isComplete = () =>
      expected.every((ids, queue) => received(queue).some(({ id, taken }) => taken && id === ids.at(-1)));
    // While the rest of a long queue is sent, notifications arrive.
    while (!isComplete()) {
      const before = record.entries.length;
      await until(() => record.entries.length > before);
    }
    let twice = 0;
    for (const [queue, ids] of expected.entries()) twice += checkOrder(received(queue), ids);
    return twice;
  }

  async function archive(): Promise<Buffer> {
    const into = new PassThrough();
    const chunks: Buffer[] = [];
    into.on('data', (chunk: Buffer) => chunks.push(chunk));
    const head = { archive: 'a', created: '2030-01-01T00:00:00.0000000Z' };
    await exportProject(cores.core.operations, project.id, into, head);
    return Buffer.concat(chunks);
  }

  /** Sends bytes of an archive to a core, and does not end the request. */
  function beginImport(url: string, bytes: Buffer): ClientRequest {
    const sent = request(`${url}/admin/projects/import?id=${IMPORTED}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/x-tar' },
    });
    sent.on('error', () => {});
    sent.write(bytes);
    return sent;
  }

  async function admin(url: string, method: string, path: string, body?: unknown): Promise<number> {
    const answer = await fetch(`${url}/admin/${path}`, {
      method,
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    await answer.arrayBuffer();
    return answer.status;
  }

  async function milliseconds(what: () => Promise<boolean>): Promise<number> {
    const began = performance.now();
    await until(what);
    return performance.now() - began;
  }

  it('continue the work of one that is killed; the start of one ends nothing', async () => {
    const first = await cores.start('first');
    await publish('before');
    await until(() => record.entries.length === QUEUES && silent.record.length === 1);
    const [former] = await owners();
    await keyThatExpires();
    await until(async () => (await cores.mails()).length === 1);
    const bytes = await archive();
    beginImport(first.url, bytes.subarray(0, bytes.length / 2));
    await until(async () => (await jobs('import')).length === 1);
    // Its receiver does not answer, so the replay goes on.
    silent.behave('/', () => {});
    const replay = `projects/${project.id}/webhooks/${silentWebhook}/replay-since`;
    expect(await admin(first.url, 'POST', replay, { since: '2020-01-01T00:00:00Z' })).to.equal(201);
    await until(() => silent.record.length === 2);

    const second = await cores.start('second');
    const command = await runHeadwater(['project', 'list'], cores.environment('command'));
    expect(command.code, command.err).to.equal(0);
    publishing = publishOnAndOn();
    await pause(1500);
    for (const kind of ['import', 'webhook-replay'])
      expect(await jobs(kind)).to.deep.equal([{ state: 'running', error: null }]);
    expect(await owners()).to.deep.equal([former]);
    await until(() => record.entries.length > QUEUES * 5);
    const at = new Date(Date.now() + 2500).toISOString();
    await run(async (transaction) =>
      schedulePublish(transaction, await addItem(transaction, 'scheduled'), ENGLISH, at),
    );

    // What it sent last is received before it ends, and others take over.
    first.process.signal('SIGSTOP');
    await pause(100);
    record.round++;
    first.process.signal('SIGKILL');
    await first.process.ended;
    await keyThatExpires();
    const gone = record.entries.length;
    const times = await Promise.all([
      milliseconds(async () => record.entries.length > gone + QUEUES),
      milliseconds(async () => (await cores.mails()).length === 2),
      milliseconds(async () => (await jobs('import'))[0]?.state === 'failed'),
      milliseconds(async () => (await jobs('webhook-replay'))[0]?.state === 'failed'),
    ]);
    if (isLongForm) for (const time of times) expect(time).to.be.below(5000);
    await until(async () => (await jobs('scheduled-publish'))[0]?.state === 'done');
    expect(await rows(`SELECT id FROM project WHERE id = '${IMPORTED}'`)).to.deep.equal([]);
    expect(await admin(second.url, 'GET', 'jobs')).to.equal(200);

    isPublishing = false;
    await publishing;
    expect(await checkQueues()).to.be.at.most(QUEUES);
    const [later, ...more] = await owners();
    expect(more).to.deep.equal([]);
    expect(later).to.not.equal(former);
    expect(await cores.mails()).to.have.lengthOf(2);
  });

  longTest('end an import of another one when its job is canceled', async () => {
    const [first, second] = await Promise.all([cores.start('first'), cores.start('second')]);
    await publish('before');
    const bytes = await archive();
    const begun = beginImport(first.url, bytes.subarray(0, bytes.length / 2));
    await until(async () => (await jobs('import')).length === 1);
    const [job] = await rows<{ id: string }>(`SELECT id FROM job WHERE kind = 'import'`);
    expect(await admin(second.url, 'DELETE', `jobs/${job?.id}`)).to.equal(204);
    expect(await rows(`SELECT id FROM project WHERE id = '${IMPORTED}'`)).to.deep.equal([]);
    expect(await jobs('import')).to.deep.equal([{ state: 'canceled', error: null }]);
    // The first import has ended, though its archive has not: the project can be imported again through the same core.
    await until(async () => {
      const [answer] = await once(beginImport(first.url, bytes).end(), 'response');
      answer.resume();
      return answer.statusCode === 201;
    });
    begun.destroy();
  });

  longTest('continue the work of one that stalls; it goes on later without harm', async () => {
    const names = ['first', 'second'];
    let [running, other]: HeadwaterProcess[] = [];
    running = (await cores.start(names[0]!)).process;
    await publish('before');
    await until(() => record.entries.length === QUEUES);
    other = (await cores.start(names[1]!)).process;
    publishing = publishOnAndOn();
    for (let round = 0; round < 6; round++) {
      const [former] = await owners();
      await pause(500 + round * 37);
      running.signal('SIGSTOP');
      await pause(100);
      record.round++;
      await until(async () => !(await owners()).includes(former!));
      const before = record.entries.length;
      await until(() => record.entries.length > before + QUEUES * 5);
      running.signal('SIGCONT');
      [running, other] = [other!, running];
      await pause(2000);
    }
    isPublishing = false;
    await publishing;
    expect(await checkQueues()).to.be.at.most(QUEUES * 6);
  })?.timeout(600_000);
});
