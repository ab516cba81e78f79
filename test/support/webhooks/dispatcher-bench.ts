import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProject, type NewProject } from '../../../core/access/projects.ts';
import { commitParticipants } from '../../../core/compose/commit-participants.ts';
import { SoleOwner } from '../../../core/storage/owner.ts';
import type { Storage } from '../../../core/storage/ports.ts';
import { inProject } from '../../../core/transaction/in-project.ts';
import type { ProjectTransaction } from '../../../core/transaction/project-transaction.ts';
import type { DispatchClock } from '../../../core/webhooks/dispatch/dispatch-clock.ts';
import { Dispatcher } from '../../../core/webhooks/dispatch/dispatcher.ts';
import type { DispatcherOptions } from '../../../core/webhooks/dispatch/dispatcher-options.ts';
import { kindOf } from '../../../core/webhooks/event-kinds.ts';
import { createPrepare } from '../../../core/webhooks/prepare.ts';
import { WebhookQueueStore } from '../../../core/webhooks/queues/webhook-queue-store.ts';
import { addWebhook } from '../../../core/webhooks/registrations.ts';
import { AddressGuard } from '../../../core/webhooks/send/address-guard.ts';
import { Connections } from '../../../core/webhooks/send/connections.ts';
import { systemResolver } from '../../../core/webhooks/send/resolve-host.ts';
import { createSend } from '../../../core/webhooks/send/send.ts';
import { type TestDatabase, testDatabase } from '../database/test-database.ts';
import { FakeClock } from './fake-clock.ts';
import { liveOwner } from './live-owner.ts';

export const SECRET = 'a-secret-for-tests';

/** A real database with one project, webhooks, events written as plain rows, and a dispatcher over them. */
export class DispatcherBench {
  readonly folder: string;
  readonly clock: DispatchClock;
  readonly failures: unknown[] = [];
  storage!: Storage;
  project!: NewProject;
  dispatcher!: Dispatcher;
  #connections!: Connections;
  #database: TestDatabase | undefined;

  private constructor(folder: string, clock: DispatchClock) {
    this.folder = folder;
    this.clock = clock;
  }

  static async open(clock: DispatchClock = new FakeClock()): Promise<DispatcherBench> {
    const bench = new DispatcherBench(await mkdtemp(join(tmpdir(), 'headwater-queues-')), clock);
    await bench.openStorage();
    bench.project = await bench.storage.write((tx) =>
      createProject(
        { tx, actor: null, options: { newId: randomUUID } },
        { name: 'Queues', default_language: { name: 'English', codename: 'en' } },
      ),
    );
    return bench;
  }

  async openStorage(): Promise<void> {
    this.#database ??= await testDatabase();
    this.storage = await this.#database.open(this.folder, () => new Date(this.clock.now()));
    this.storage.onCommit((changes) => this.dispatcher?.committed(changes));
  }

  /** @param ownerId beside other owners that live; by default the process is the only one */
  start({
    ownerId,
    ...options
  }: Partial<DispatcherOptions> & { readonly ownerId?: string } = {}): Dispatcher {
    this.#connections = new Connections();
    const { timeout = 60_000 } = options;
    const owner = new SoleOwner();
    this.dispatcher = new Dispatcher({
      store: new WebhookQueueStore(this.storage, ownerId === undefined ? owner : liveOwner(ownerId)),
      prepare: createPrepare({ vendor: 'SVC', standardHeaders: true }),
      send: createSend({
        guard: new AddressGuard(['127.0.0.0/8'], systemResolver()),
        connections: this.#connections,
        timeout,
      }),
      clock: this.clock,
      owner,
      timeout,
      parallel: 100,
      drain: 1000,
      failed: (error) => this.failures.push(error),
      ...options,
    });
    this.dispatcher.start();
    return this.dispatcher;
  }

  /** Restarts the dispatcher over the same file. */
  async restart(options: Partial<DispatcherOptions> = {}): Promise<void> {
    await this.stop();
    await this.openStorage();
    this.start(options);
    await this.dispatcher.settled();
  }

  async stop(): Promise<void> {
    await this.dispatcher?.close();
    this.#connections?.close();
    await this.storage.close();
    if (this.clock instanceof FakeClock) this.clock.restart();
  }

  async close(): Promise<void> {
    await this.stop();
    await rm(this.folder, { recursive: true, force: true });
    await this.#database?.remove();
  }

  run<T>(work: (transaction: ProjectTransaction) => Promise<T>): Promise<T> {
    const options = { newId: randomUUID };
    return inProject(
      this.storage,
      { options, participants: commitParticipants({ mediaType: 'service' }) },
      this.project.id,
      null,
      work,
    );
  }

  async webhook(url: string): Promise<string> {
    const { id } = await this.run((transaction) =>
      addWebhook(transaction, { name: url, url, secret: SECRET, contentChanges: [], workflowSteps: [] }),
    );
    return id;
  }

  /** One transaction with `count` events; `name` prefixes the codenames of their items. */
  async events(name: string, count = 1): Promise<void> {
    await this.run(async (transaction) => {
      await transaction.tx.insert(
        'webhook_event',
        ['project', 'number', 'kind', 'count', 'id', 'created', 'taxonomies', 'items'],
        Array.from({ length: count }, (_, place) => [
          transaction.project.number,
          transaction.tx.sequence * 1000 + place,
          kindOf('content_item_variant', 'publish'),
          1,
          randomUUID(),
          transaction.now,
          '[]',
          JSON.stringify([
            { id: randomUUID(), codename: `${name}-${place}`, language: 'en', type: 'article' },
          ]),
        ]),
      );
      transaction.change('content_item_variant', 'publish', randomUUID(), []);
      transaction.tx.announce(transaction.project.number);
    });
  }

  rows<T>(text: string): Promise<T[]> {
    return this.storage.sql.all<T>(text);
  }
}

/** The codename of a notification's first item. */
export function codenameOf(body: string): string {
  return JSON.parse(body).data.items[0].codename;
}
