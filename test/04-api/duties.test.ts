/** What a core does beside its answers to requests, by the setting `duties`; the queue of each duty keeps what waits. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { DUTIES, type DutyName } from '../../config/duty-settings.ts';
import { createManagementKey, createProject } from '../../core/access/projects.ts';
import { createUser } from '../../core/access/users.ts';
import type { RunningCore } from '../../core/compose/create-core.ts';
import { createItem, updateItem } from '../../core/content/items.ts';
import { createType } from '../../core/content/types.ts';
import { upsertVariant } from '../../core/content/variants.ts';
import { publishVariant } from '../../core/publishing/publish.ts';
import { schedulePublish } from '../../core/publishing/schedule.ts';
import { addWebhook } from '../../core/webhooks/registrations.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { SILENT } from '../support/service/core-settings.ts';
import { openCore } from '../support/service/open-core.ts';
import { until } from '../support/until.ts';
import { type Receiver, startReceiver } from '../support/webhooks/receiver.ts';

const ENGLISH = { codename: 'default' };
const PIECE = { codename: 'piece' };
const FIRST = { codename: 'first' };

describe('the duties of a core', () => {
  let folder: string;
  let database: TestDatabase;
  let receiver: Receiver;
  let core: RunningCore | undefined;
  let project: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-duties-'));
    database = await testDatabase();
    receiver = await startReceiver();
  });
  afterEach(async () => {
    await core?.close();
    await receiver.close();
    await rm(folder, { recursive: true });
    await database.remove();
  });

  async function start(
    duties: readonly DutyName[],
    more: { readonly isCommand?: boolean } = {},
  ): Promise<void> {
    await core?.close();
    core = await openCore({
      dataDir: folder,
      databaseUrl: database.url,
      log: SILENT,
      webhooks: { allow: ['127.0.0.0/8'] },
      duties,
      ...more,
    });
  }

  /** Work for each duty but retention. */
  async function cause(): Promise<void> {
    const { operations } = core!;
    const user = await operations.installation(null, async (to) => {
      project = (await createProject(to, { name: 'Duties' })).id;
      const projects = [{ id: project, capabilities: ['manage-apis'] }];
      return createUser(to, { name: 'Ann', email: 'ann@example.org', projects });
    });
    await operations.inProject(project, null, async (transaction) => {
      await createType(transaction, {
        name: 'Piece',
        elements: [
          { type: 'text', name: 'Title' },
          { type: 'modular_content', name: 'Next' },
        ],
      });
      const url = `${receiver.url}/`;
      await addWebhook(transaction, { name: 'Hook', url, contentChanges: [], workflowSteps: [] });
      for (const [name, next] of [
        ['first', []],
        ['second', [FIRST]],
        ['third', []],
      ] as const) {
        const { id } = await createItem(transaction, { name, type: PIECE });
        await upsertVariant(transaction, { id }, ENGLISH, {
          elements: [
            { element: { codename: 'title' }, value: name },
            { element: { codename: 'next' }, value: next },
          ],
        });
        if (name !== 'third') await publishVariant(transaction, { id }, ENGLISH);
      }
    });
    const at = new Date(Date.now() + 50).toISOString();
    await operations.inProject(project, null, (transaction) =>
      schedulePublish(transaction, { codename: 'third' }, ENGLISH, at),
    );
    // The item that links to it becomes stale.
    await operations.inProject(project, null, (transaction) =>
      updateItem(transaction, FIRST, { name: 'Renamed' }),
    );
    await operations.installation(null, (to) => createManagementKey(to, project, user.id, 3));
    await pause(300);
  }

  async function count(text: string): Promise<number> {
    const row = await core!.operations.storage.sql.get<{ count: number }>(`SELECT count(*) AS count ${text}`);
    return row?.count ?? 0;
  }
  const scheduled = () => count(`FROM job WHERE kind = 'scheduled-publish' AND state = 'waiting'`);
  const stale = () => count('FROM pending');
  const outbox = () => count('FROM mail WHERE sent IS NULL');
  const mails = async () => (await readdir(join(folder, 'mail')).catch(() => [])).length;

  it('are done by a core that has them, also what came up without it', async () => {
    await start([]);
    await cause();
    expect([receiver.record.length, await scheduled(), await outbox(), await mails()]).to.deep.equal([
      0, 1, 0, 0,
    ]);
    const waiting = await stale();
    expect(waiting).to.be.above(0);
    await start(DUTIES, { isCommand: true });
    await pause(100);
    expect([receiver.record.length, await scheduled(), await outbox(), await stale()]).to.deep.equal([
      0,
      1,
      0,
      waiting,
    ]);
    await start(['keyExpiry']);
    await until(async () => (await outbox()) === 1);
    expect([receiver.record.length, await scheduled(), await mails(), await stale()]).to.deep.equal([
      0,
      1,
      0,
      waiting,
    ]);
    await start(['mail', 'recompilation']);
    await until(async () => (await mails()) === 1 && (await stale()) === 0);
    expect([receiver.record.length, await scheduled()]).to.deep.equal([0, 1]);
    await start(['schedules']);
    await until(async () => (await scheduled()) === 0);
    expect(receiver.record.length).to.equal(0);
    await start(['webhooks']);
    const events = await count('FROM webhook_event');
    expect(events).to.equal(2);
    await receiver.until(events);
    expect(await mails()).to.equal(1);
  });
});
