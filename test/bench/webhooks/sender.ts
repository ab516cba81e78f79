/**
 * The built core with webhooks, and beside it a bare loop of got, in a process of its own. Events are written as
 * rows, as the planner writes them, so that what is measured begins at the commit.
 */
import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import got from 'got';
import type { RunningCore } from '../../../core/compose/create-core.ts';
import type { Transaction } from '../../../core/storage/ports.ts';
import { timestamp } from '../../../core/storage/timestamp.ts';
import { answerParent } from '../answer-parent.ts';
import { built } from '../built.ts';
import { memoryOf } from '../process-usage.ts';

export type SenderOrder =
  /** `url`: of PostgreSQL; by default the data are in the folder. */
  | { readonly do: 'open'; readonly folder: string; readonly url?: string | undefined }
  /** A project with a webhook for each URL; answers its id. */
  | { readonly do: 'project'; readonly urls: readonly string[] }
  /** Writes so many events while the webhooks are paused; the time is that of sending them. */
  | { readonly do: 'drain'; readonly project: string; readonly events: number }
  /** One event a turn in each of the projects in turn; answers when each was committed. */
  | {
      readonly do: 'pace';
      readonly projects: readonly string[];
      readonly perSecond: number;
      readonly seconds: number;
    }
  | { readonly do: 'bare'; readonly urls: readonly string[]; readonly each: number }
  /** Waits until the heads of so many queues failed and wait, and makes their next attempts due. */
  | { readonly do: 'overdue'; readonly webhooks: number }
  /** Counts the queries of so many idle milliseconds. */
  | { readonly do: 'rest'; readonly ms: number }
  /** Fills the log of the project's first webhook; then the time of each of so many reads of it. */
  | { readonly do: 'log'; readonly project: string; readonly attempts: number; readonly reads: number };

export interface SenderReply {
  readonly project?: string;
  readonly perSecond?: number;
  readonly count?: number;
  readonly times?: readonly number[];
  readonly committed?: readonly (readonly [name: string, at: number])[];
  /** Of its own, at most during the first tenth and at most after it, bytes: what waits for the collector varies by 20 %. */
  readonly memory?: readonly [number, number];
}

const EVENTS_A_COMMIT = 500;
const BODY = Buffer.from(JSON.stringify({ message: 'x'.repeat(620) }));

let core: RunningCore;
const [{ createCore }, { createProject }, { addWebhook, setWebhookEnabled }, { kindOf }] = await Promise.all([
  built<typeof import('../../../core/compose/create-core.ts')>('core/compose/create-core'),
  built<typeof import('../../../core/access/projects.ts')>('core/access/projects'),
  built<typeof import('../../../core/webhooks/registrations.ts')>('core/webhooks/registrations'),
  built<typeof import('../../../core/webhooks/event-kinds.ts')>('core/webhooks/event-kinds'),
]);
const webhooks = new Map<string, readonly string[]>();
const kind = kindOf('content_item_variant', 'publish');
const now = () => performance.timeOrigin + performance.now();
const silent = {
  info() {},
  warn() {},
  error: (_: object, text: string) => process.stderr.write(`${text}\n`),
};

function writeEvents(project: string, names: readonly string[]): Promise<void> {
  return core.operations.inProject(project, null, async (transaction) => {
    await transaction.tx.insert(
      'webhook_event',
      ['project', 'number', 'kind', 'count', 'id', 'created', 'taxonomies', 'items'],
      names.map((codename, place) => [
        transaction.project.number,
        transaction.tx.sequence * 1000 + place,
        kind,
        1,
        randomUUID(),
        transaction.now,
        '[]',
        JSON.stringify([{ id: randomUUID(), codename, language: 'en', type: 'article' }]),
      ]),
    );
    transaction.change('content_item_variant', 'publish', randomUUID(), []);
    transaction.tx.announce(transaction.project.number);
  });
}

function enable(project: string, enabled: boolean): Promise<void> {
  return core.operations.inProject(project, null, async (transaction) => {
    for (const id of webhooks.get(project) ?? []) await setWebhookEnabled(transaction, id, enabled);
  });
}

async function makeProject(urls: readonly string[]): Promise<string> {
  const { id } = await core.operations.installation(null, (to) => createProject(to, { name: 'Bench' }));
  const ids = await core.operations.inProject(id, null, async (transaction) => {
    const made: string[] = [];
    for (const url of urls)
      made.push(
        (
          await addWebhook(transaction, {
            name: url.slice(0, 100),
            url,
            contentChanges: [],
            workflowSteps: [],
          })
        ).id,
      );
    return made;
  });
  webhooks.set(id, ids);
  return id;
}

async function drain(project: string, events: number): Promise<SenderReply> {
  await enable(project, false);
  for (let done = 0; done < events; done += EVENTS_A_COMMIT) {
    const count = Math.min(EVENTS_A_COMMIT, events - done);
    await writeEvents(
      project,
      Array.from({ length: count }, (_, place) => `item_${done + place}`),
    );
  }
  const total = events * (webhooks.get(project)?.length ?? 0);
  const before = core.webhooks.figures().delivered;
  const memory = { tenth: 0, most: 0 };
  const watch = setInterval(() => {
    const { anonymous } = memoryOf(process.pid);
    if (core.webhooks.figures().delivered - before < total / 10)
      memory.tenth = Math.max(memory.tenth, anonymous);
    else memory.most = Math.max(memory.most, anonymous);
  }, 200);
  await enable(project, true);
  const began = performance.now();
  while (core.webhooks.figures().delivered - before < total) await setTimeout(5);
  const took = performance.now() - began;
  clearInterval(watch);
  return { perSecond: (total / took) * 1000, memory: [memory.tenth, memory.most] };
}

async function pace(projects: readonly string[], perSecond: number, seconds: number): Promise<SenderReply> {
  const committed: [string, number][] = [];
  const writing: Promise<void>[] = [];
  const began = performance.now();
  for (let turn = 0; turn < perSecond * seconds; turn++) {
    const wait = began + (turn * 1000) / perSecond - performance.now();
    if (wait > 0) await setTimeout(wait);
    const name = `e${turn}_${Math.floor(began)}`;
    const one = writeEvents(projects[turn % projects.length]!, [name]).then(() => {
      committed.push([name, now()]);
    });
    writing.push(one);
  }
  await Promise.all(writing);
  return { committed };
}

const agent = new Agent({ keepAlive: true });

/** The client alone: one request at a time, nothing recorded. */
async function bare(urls: readonly string[], each: number): Promise<SenderReply> {
  const headers = {
    'content-type': 'application/json',
    'x-svc-signature': 'x'.repeat(44),
    'x-svc-message-id': randomUUID(),
  };
  const began = performance.now();
  await Promise.all(
    urls.map(async (url) => {
      for (let done = 0; done < each; done++)
        await got.post(url, {
          body: BODY,
          headers,
          agent: { http: agent },
          retry: { limit: 0 },
          followRedirect: false,
          throwHttpErrors: false,
        });
    }),
  );
  return { perSecond: ((urls.length * each) / (performance.now() - began)) * 1000 };
}

async function overdue(webhooks: number): Promise<SenderReply> {
  const { storage } = core.operations;
  const waiting = 'FROM webhook_progress WHERE head IS NOT NULL AND next_due > ?';
  for (;;) {
    const now = timestamp(Date.now());
    const found = await storage.sql.get<{ count: number }>(`SELECT count(*) AS count ${waiting}`, [now]);
    if (found?.count === webhooks) break;
    await setTimeout(10);
  }
  await storage.write((tx) =>
    tx.run('UPDATE webhook_progress SET next_due = ? WHERE head IS NOT NULL', [timestamp(Date.now())]),
  );
  return {};
}

async function rest(ms: number): Promise<SenderReply> {
  await core.webhooks.settled();
  await setTimeout(500);
  const { storage } = core.operations;
  let count = 0;
  for (const [target, names] of [
    [storage, ['write', 'snapshot']],
    [storage.sql, ['all', 'get']],
  ] as const)
    for (const name of names) {
      const real = Reflect.get(target, name) as (...args: unknown[]) => unknown;
      Reflect.set(target, name, (...args: unknown[]) => {
        count++;
        return real.apply(target, args);
      });
    }
  await setTimeout(ms);
  return { count };
}

async function log(project: string, attempts: number, reads: number): Promise<SenderReply> {
  const { storage } = core.operations;
  const webhook = webhooks.get(project)?.[0];
  const queue = (await storage.sql.get<{ number: number }>(
    'SELECT number FROM webhook_lane WHERE webhook = ?',
    [webhook!],
  ))!.number;
  const stamp = (at: number) => timestamp(1.6e12 + at * 1000);
  const CHUNK = 10_000;
  for (let done = 0; done < attempts; done += CHUNK)
    await storage.write(async (tx) => {
      const first = await tx.numbers('webhook_notification', CHUNK);
      const numbers = Array.from({ length: CHUNK }, (_, index) => first + index);
      const notificationRows = numbers.map((number) => ({
        number,
        lane: queue,
        state: number % 500 === 0 ? 2 : 1,
        id: randomUUID(),
        event: number,
        part: 0,
        kind,
        created: stamp(number),
        first_attempt: stamp(number),
        attempts: 1,
      }));
      const attemptRows = numbers.map((number) => ({
        notification: number,
        ordinal: 1,
        at: stamp(number),
        duration_ms: 12,
        status: 200,
        manual: 0,
        answer: 'OK',
      }));
      await insertObjects(tx, 'webhook_notification', notificationRows);
      await insertObjects(tx, 'webhook_attempt', attemptRows);
    });
  const times: number[] = [];
  let after = '';
  for (let read = 0; read < reads; read++) {
    const state = ['delivered', 'dropped', 'pending'][read % 3];
    const query = `state=${state}&limit=20${read % 3 === 0 && after ? `&after=${after}` : ''}`;
    const began = performance.now();
    const answer = await core.handle({
      surface: 'admin',
      method: 'GET',
      path: `/projects/${project}/webhooks/${webhook}/notifications`,
      query,
      headers: {},
      bases: { self: 'http://localhost/admin', assets: 'http://localhost/assets' },
      principal: { kind: 'admin' },
      requestId: 'bench',
    });
    times.push(performance.now() - began);
    const { notifications, pagination } = JSON.parse(
      Buffer.concat((answer.body ?? []) as Uint8Array[]).toString(),
    );
    if (state === 'delivered' && notifications.length !== 20)
      throw new Error(`${notifications.length} of 20 notifications.`);
    if (state === 'delivered') after = encodeURIComponent(pagination?.next ?? '');
  }
  return { times };
}

async function insertObjects(
  tx: Transaction,
  table: string,
  rows: readonly Readonly<Record<string, string | number>>[],
): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  await tx.insert(
    table,
    columns,
    rows.map((row) => columns.map((column) => row[column] ?? null)),
  );
}

answerParent(async (order: SenderOrder): Promise<SenderReply> => {
  switch (order.do) {
    case 'open':
      core = await createCore({
        dataDir: order.folder,
        databaseUrl: order.url ?? null,
        vendor: { header: ['SVC'], mediaType: 'service' },
        log: silent,
        webhooks: { allow: ['127.0.0.0/8'] },
      });
      return {};
    case 'project':
      return { project: await makeProject(order.urls) };
    case 'drain':
      return drain(order.project, order.events);
    case 'pace':
      return pace(order.projects, order.perSecond, order.seconds);
    case 'bare':
      return bare(order.urls, order.each);
    case 'overdue':
      return overdue(order.webhooks);
    case 'rest':
      return rest(order.ms);
    case 'log':
      return log(order.project, order.attempts, order.reads);
  }
});
