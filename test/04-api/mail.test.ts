import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';
import { expect } from 'chai';
import { DUTIES, type DutyName } from '../../config/duty-settings.ts';
import { createManagementKey, createProject } from '../../core/access/projects.ts';
import { listRoles } from '../../core/access/roles.ts';
import { createUser } from '../../core/access/users.ts';
import type { RunningCore } from '../../core/compose/create-core.ts';
import type { MailEvent } from '../../core/mail/mail-event.ts';
import { MailSender } from '../../core/mail/mail-sender.ts';
import { nextMail, queueMail } from '../../core/mail/outbox.ts';
import { renderMail } from '../../core/mail/render-mail.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { Mailbox, type Received } from '../support/programs/mailbox.ts';
import { openCore } from '../support/service/open-core.ts';
import { until } from '../support/until.ts';

describe('mail', () => {
  const mailbox = new Mailbox();
  const created: RunningCore[] = [];
  let smtp: string;
  let folder: string;
  let database: TestDatabase;
  let now = new Date('2030-06-01T09:00:00Z');
  const errors: object[] = [];
  const warnings: string[] = [];

  before(async () => {
    smtp = await mailbox.listen();
  });
  after(() => mailbox.close());

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-mail-'));
    database = await testDatabase();
    now = new Date('2030-06-01T09:00:00Z');
    mailbox.mails.length = 0;
    errors.length = 0;
    warnings.length = 0;
  });
  afterEach(async () => {
    for (const core of created.splice(0)) await core.close();
    await rm(folder, { recursive: true });
    await database.remove();
  });

  async function start(server: string | null, duties: readonly DutyName[] = DUTIES): Promise<RunningCore> {
    const core = await openCore({
      dataDir: folder,
      databaseUrl: database.url,
      log: {
        info() {},
        warn(fields, text) {
          errors.push(fields);
          warnings.push(text);
        },
        error: (fields) => errors.push(fields),
      },
      now: () => now,
      duties,
      mail: { smtp: server, from: 'Headwater <cms@example.org>', folder: join(folder, 'mail') },
    });
    created.push(core);
    return core;
  }

  async function stop(core: RunningCore): Promise<void> {
    created.splice(created.indexOf(core), 1);
    await core.close();
  }

  /** A project with two users who manage its APIs, and one who does not. */
  async function project({ operations }: RunningCore): Promise<{ id: string; number: number; user: string }> {
    return operations.installation(null, async (to) => {
      const { id } = await createProject(to, { name: 'Valley' });
      const member = (email: string, ...capabilities: string[]) =>
        createUser(to, { name: email, email, projects: [{ id, capabilities }] });
      const { id: user } = await member('ann@example.org', 'manage-apis', 'publish');
      await member('bob@example.org', 'manage-apis');
      await member('eve@example.org', 'publish');
      const row = await to.tx.get<{ number: number }>('SELECT number FROM project WHERE id = ?', [id]);
      return { id, number: row!.number, user };
    });
  }

  const failing: MailEvent = {
    kind: 'webhook-failing',
    webhook: { id: 'w', name: 'Site <b>\r\nBcc: x@y', url: 'https://example.org/hook', project: 'Valley' },
    since: '2030-06-01T08:00:00Z',
  };

  /** Queues a mail to each of the two users of a new project. */
  async function queueForBoth(core: RunningCore): Promise<void> {
    const { number } = await project(core);
    await core.operations.storage.write((tx) => queueMail(tx, number, failing));
    core.mailQueued();
  }

  it('is sent once to every user with the capability to manage APIs, in text and HTML', async () => {
    const core = await start(smtp);
    const { number } = await project(core);
    for (let times = 0; times < 3; times += 1)
      await core.operations.storage.write((tx) => queueMail(tx, number, failing));
    core.mailQueued();
    await until(() => mailbox.mails.length === 2);
    await pause(100);
    expect(mailbox.mails.flatMap(({ to }) => to)).to.have.members(['ann@example.org', 'bob@example.org']);
    const [{ text }] = mailbox.mails as [Received];
    expect(text).to.match(/^From: Headwater <cms@example\.org>$/m);
    expect(text).to.match(/^Content-Type: text\/plain/m);
    expect(text).to.match(/^Content-Type: text\/html/m);
    expect(text, 'no header comes from a name').not.to.match(/^Bcc:/im);
  });

  it('is sent to the users whose role permits them to manage APIs', async () => {
    const core = await start(smtp);
    const { id, number } = await project(core);
    await core.operations.installation(null, async (to) => {
      for (const { id: role, codename } of await listRoles(to.tx)) {
        const email = `${codename}@example.org`;
        await createUser(to, { name: codename, email, projects: [{ id, roles: [role] }] });
      }
    });
    await core.operations.storage.write((tx) => queueMail(tx, number, failing));
    core.mailQueued();
    await until(() => mailbox.mails.length === 4);
    await pause(100);
    expect(mailbox.mails.flatMap(({ to }) => to)).to.have.members([
      'ann@example.org',
      'bob@example.org',
      'developer@example.org',
      'project_manager@example.org',
    ]);
  });

  it('is kept while the mail server refuses it, and retried, also after a restart', async () => {
    mailbox.refuse = 2;
    const first = await start(smtp);
    await queueForBoth(first);
    await until(() => errors.length === 2);
    expect(mailbox.mails).to.have.length(0);
    await stop(first);
    now = new Date('2030-06-01T09:01:01Z');
    await start(smtp);
    await until(() => mailbox.mails.length === 2);
    const ids = mailbox.mails.map(
      ({ text }) => /^Message-ID: <([0-9a-f]{32})@example\.org>/im.exec(text)?.[1],
    );
    expect(new Set(ids)).to.have.length(2);
    await stop(created[0]!);
    await start(smtp);
    await pause(200);
    expect(mailbox.mails).to.have.length(2);
  });

  it('is given up after three days, and the log says so', async () => {
    mailbox.refuse = 4;
    const first = await start(smtp);
    await queueForBoth(first);
    await until(() => warnings.length === 2);
    await stop(first);
    now = new Date('2030-06-04T09:00:01Z');
    const { operations } = await start(smtp);
    await until(() => warnings.length === 4);
    expect(warnings.map((text) => text.split('; ')[1])).to.deep.equal([
      'it is tried again.',
      'it is tried again.',
      'it is given up.',
      'it is given up.',
    ]);
    await until(async () => (await nextMail(operations.storage.sql)) === undefined);
  });

  it('does not hold up a stop while the mail server is silent, and is retried', async () => {
    const silent = createServer();
    const connected = once(silent, 'connection');
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const core = await start(`smtp://127.0.0.1:${(silent.address() as AddressInfo).port}`);
    await queueForBoth(core);
    const [socket] = (await connected) as [Socket];
    const began = performance.now();
    await stop(core);
    expect(performance.now() - began).to.be.below(10_000);
    socket.destroy();
    silent.close();
    now = new Date('2030-06-01T09:01:01Z');
    await start(smtp);
    await until(() => mailbox.mails.length === 2);
  }).timeout(60_000);

  it('becomes a file that only the owner can read where no server is configured', async () => {
    const core = await start(null);
    await queueForBoth(core);
    const files = async () =>
      (await readdir(join(folder, 'mail')).catch(() => [])).filter((name) => /\.eml$/.test(name));
    await until(async () => (await files()).length === 2);
    const [name] = (await files()) as [string];
    expect(await readFile(join(folder, 'mail', name), 'utf8')).to.match(/^Subject: The webhook Site/m);
    expect((await stat(join(folder, 'mail', name))).mode & 0o077).to.equal(0);
  });

  it('sends its password over TLS only, unless the URL says otherwise', async () => {
    const core = await start(smtp.replace('//', '//ann:word@'));
    await queueForBoth(core);
    await until(() => errors.length === 2);
    expect(mailbox.passwords).to.deep.equal([]);
    expect(JSON.stringify(errors.map((fields) => inspect(fields, { depth: 9 })))).not.to.include('word');
    await stop(core);
    now = new Date('2030-06-01T09:01:01Z');
    await start(`${smtp.replace('//', '//ann:word@')}?requireTLS=false`);
    await until(() => mailbox.mails.length === 2);
    expect(mailbox.passwords).to.include('word');
  });

  it('warns of a management key five days before it expires, once', async () => {
    const core = await start(smtp);
    const { id, user } = await project(core);
    await core.operations.installation(null, (to) => createManagementKey(to, id, user, 6));
    await pause(150);
    expect(mailbox.mails).to.have.length(0);
    await stop(core);
    now = new Date('2030-06-02T09:00:01Z');
    const later = await start(smtp);
    await until(() => mailbox.mails.length === 2);
    expect(mailbox.mails[0]!.text).to.match(/^Subject: A management key of Valley expires on 2030-06-07$/m);
    await stop(later);
    now = new Date('2030-06-04T09:00:00Z');
    await start(smtp);
    await pause(200);
    expect(mailbox.mails).to.have.length(2);
  });

  it('is sent when it waited in a restored backup', async () => {
    const before = await start(smtp, []);
    const { number } = await project(before);
    const { storage } = before.operations;
    await storage.write((tx) => queueMail(tx, number, failing));
    await storage.copyTo(join(folder, 'backup.db'));
    await storage.write((tx) => tx.run('DELETE FROM mail'));
    await stop(before);
    const core = await start(smtp);
    await core.operations.storage.replaceWith(join(folder, 'backup.db'));
    await until(() => mailbox.mails.length === 2);
  });

  it('is not sent again while the database cannot record it', async () => {
    const core = await start(null, []);
    const { number } = await project(core);
    const { storage } = core.operations;
    await storage.write((tx) => queueMail(tx, number, failing));
    const sent: string[] = [];
    let full = true;
    const sender = new MailSender(
      {
        sql: storage.sql,
        write: (work) => (full ? Promise.reject(new Error('disk full')) : storage.write(work)),
      },
      { send: async ({ to }) => void sent.push(to), close() {} },
      () => now,
      () => {},
    );
    for (let times = 0; times < 3; times += 1) {
      sender.wake();
      await sender.idle();
    }
    full = false;
    sender.wake();
    await sender.idle();
    await sender.close();
    expect(sent).to.have.members(['ann@example.org', 'bob@example.org']);
    expect(await nextMail(storage.sql)).to.equal(undefined);
  });

  it('escapes names given by users', () => {
    const { subject, text, html } = renderMail(failing);
    expect(subject).not.to.match(/[\r\n]/);
    expect(text).to.contain('Site <b>');
    expect(html).to.contain('Site &lt;b&gt;').and.not.to.contain('<b>');
  });
});
