/** Puts core together: the one place where its parts meet their database, files and clock. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { NO_ADMIN_TOKEN } from './access/admin-token.ts';
import { KeyUse } from './access/key-use.ts';
import { findKey } from './access/keys.ts';
import { findProject } from './access/projects.ts';
import { admin } from './admin/admin.ts';
import { openAssets } from './assets/open-assets.ts';
import { serveFile } from './assets/serve-file.ts';
import { type FeedCarrier, MemoryFeed } from './changes/change-feed.ts';
import { Retention } from './changes/retention.ts';
import { TagVersions } from './changes/tag-versions.ts';
import { committing } from './committed-sequence.ts';
import type { CancelSignal, Core, CoreAnswer, CoreRequest, HealthReport } from './contract.ts';
import type { CoreOptions } from './core-options.ts';
import { NO_CAPS, withinCaps } from './delivery/caps.ts';
import { type DeliveryParts, deliver } from './delivery/delivery.ts';
import { DocumentCache } from './delivery/document-cache.ts';
import { ListingMemory } from './delivery/listing-memory.ts';
import { ModelCache } from './delivery/model-cache.ts';
import { inProject } from './in-project.ts';
import { type RunningMail, startMail } from './mail/start-mail.ts';
import { manage } from './management/management.ts';
import { coreOpenapi } from './openapi.ts';
import type { Operations } from './operations.ts';
import { OwnerLock } from './owner-lock.ts';
import { readProject } from './project-view.ts';
import { rebakeIfChanged } from './publishing/baked-settings.ts';
import { Recompiler } from './publishing/recompile.ts';
import { Scheduler } from './publishing/scheduler.ts';
import type { Kit } from './session.ts';
import type { Blobs } from './storage/blobs/blobs.ts';
import { openDiskBlobs } from './storage/blobs/disk.ts';
import { diskFullOr } from './storage/full-disk.ts';
import { makeFolder } from './storage/make-folder.ts';
import type { CommittedChanges, Reader, Storage } from './storage/ports.ts';
import { openSqlite } from './storage/sqlite/open-sqlite.ts';
import { stopImports } from './transfer/imports-under-way.ts';
import { removeImportsBrokenOff } from './transfer/remove-import.ts';
import { Usage } from './usage/usage.ts';
import { failReplaysBrokenOff } from './webhooks/desk/replays.ts';
import type { Dispatch } from './webhooks/dispatch/start-dispatch.ts';
import { fillMasks } from './webhooks/lanes/open-lane.ts';
import { startWebhooks } from './webhooks/start-webhooks.ts';

const NO_MAIL_SERVER = { smtp: null, from: 'Headwater <headwater@localhost>' };

/** Of a variant, and of a project whose schedules waited. */
const WAKES_SCHEDULER: ReadonlySet<string> = new Set(['schedule', 'restore', 'import']);

export interface RunningCore extends Core {
  readonly operations: Operations;
  /** Something was put into the outbox. */
  mailQueued(): void;
  readonly webhooks: Dispatch;
}

/** @throws StorageStartError with one clear sentence when the data folder cannot be used */
export async function createCore(options: CoreOptions): Promise<RunningCore> {
  const { dataDir, now: clock = () => new Date() } = options;
  // Keys' hashes and unpublished content are nobody else's to read.
  await makeFolder(dataDir);
  const lock = await OwnerLock.take(dataDir);
  try {
    const storage = await openSqlite({ file: join(dataDir, 'headwater.db'), clock });
    const blobs = await openDiskBlobs(join(dataDir, 'files'));
    return await assemble(options, clock, lock, storage, blobs);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function assemble(
  options: CoreOptions,
  clock: () => Date,
  lock: OwnerLock,
  storage: Storage,
  blobs: Blobs,
): Promise<RunningCore> {
  const { dataDir, log, workers } = options;
  const vendor = options.vendor.header[0] ?? 'SVC';
  const { mediaType } = options.vendor;
  const failed = (text: string) => (error: unknown) => log.error({ err: error }, text);
  const kit: Kit = {
    newId: options.newId ?? randomUUID,
    allowInvalid: options.publishing?.allowInvalid === true,
  };
  const readSide = { mediaType };
  const feed: FeedCarrier = new MemoryFeed(
    failed('A listener of the change feed failed; what it keeps may be out of date.'),
  );
  const newest = await storage.sql.get<{ sequence: number }>('SELECT sequence FROM installation');
  const versions = new TagVersions({ sequence: newest?.sequence ?? 0, epoch: storage.epoch });
  const caps = options.delivery ?? NO_CAPS;
  const context: DeliveryParts = {
    storage,
    statementMilliseconds: caps.statementMilliseconds,
    versions,
    models: new ModelCache(storage),
    listings: new ListingMemory(),
    documents: new DocumentCache(storage),
    settings: readSide,
    queryCost: options.delivery?.queryCost ?? null,
  };
  const recompiler = new Recompiler(
    storage,
    kit,
    readSide,
    failed('Recompiling stale documents broke off; it is tried again shortly.'),
  );
  // Versions hear of a commit before anybody else, so that nobody who has asks about an older one.
  storage.onCommit((changes) => versions.note(changes));
  storage.onCommit((changes) => {
    feed.publish(changes);
    wake(changes);
  });
  const wake = ({ entries }: CommittedChanges) => {
    if (entries.some(({ operation }) => WAKES_SCHEDULER.has(operation))) scheduler.wake();
    if (entries.some(({ type }) => type === 'key')) mail.keysChanged();
    if (entries.some(({ type }) => type === 'installation')) takeOver();
  };
  // A backup may hold documents that were compiled with other settings, mails that wait, and keys that expire.
  const takeOver = () => {
    mail.queued();
    mail.keysChanged();
    removeImportsBrokenOff(storage)
      .then(() => rebakeIfChanged(storage, readSide))
      .then(() => recompiler.wake())
      .catch(failed('What was restored could not be brought up to date; restart to try again.'));
  };
  await rebakeIfChanged(storage, readSide);
  await removeImportsBrokenOff(storage);
  await failReplaysBrokenOff(storage);
  await fillMasks(storage);

  const mail: RunningMail = startMail(
    storage,
    { ...NO_MAIL_SERVER, ...options.mail, folder: options.mail?.folder ?? join(dataDir, 'mail') },
    clock,
    log,
  );
  const webhooks = startWebhooks({
    storage,
    settings: options.webhooks,
    vendor,
    workers,
    now: clock,
    clock: options.dispatchClock,
    told: (news) => mail.laneTurned(news),
    log,
  });
  const adminToken = options.adminToken ?? NO_ADMIN_TOKEN;
  const usage = new Usage(storage, options.quotas ?? {}, clock);
  const keyUse = new KeyUse(storage, clock, failed('When keys were used last could not be written.'));
  const operations: Operations = {
    inProject: (project, actor, work, options) =>
      inProject(
        storage,
        { kit, readSide, models: context.models, stale: () => recompiler.wake() },
        project,
        actor,
        work,
        options,
      ),
    ...managementReads(storage, context.models, undefined),
    async installation(actor, work) {
      let sequence = 0;
      const result = await storage.write((tx) => {
        sequence = tx.sequence;
        return work({ tx, actor, kit });
      });
      await feed.heard(sequence);
      return result;
    },
    storage,
    blobs,
    keyUse,
    adminToken,
    usage,
    webhooks: webhooks.desk,
    settled: async () => {
      await scheduler.idle();
      await recompiler.idle();
    },
  };
  const scheduler = new Scheduler(
    operations,
    clock,
    failed('Variants that were due could not be published.'),
  );
  const retention = new Retention(
    storage,
    options.retention ?? { changeDays: null, revisionDays: null },
    clock,
    failed('Old changes and versions could not be removed; tried again tomorrow.'),
  );
  const assets = openAssets({
    storage,
    blobs,
    dataDir,
    workers,
    images: options.images,
    now: clock,
    warn: (err, text) => log.warn({ err }, text),
  });
  recompiler.wake();
  scheduler.wake();
  retention.start();

  const answer = async (request: CoreRequest): Promise<CoreAnswer> => {
    switch (request.surface) {
      case 'delivery':
        return withinCaps(caps, request, (asked) => deliver(context, 'published', asked));
      case 'preview':
        return withinCaps(caps, request, (asked) => deliver(context, 'latest', asked));
      case 'assets':
        return serveFile(assets.context, request);
      case 'admin':
        return written(request, (own) => admin(own, request, options.management?.jsonBytes));
      case 'manage':
        return written(request, (own) => manage(own, { ...readSide, ...options.management }, request));
    }
  };

  const handle = (request: CoreRequest) =>
    answer(request).catch((error: unknown) => {
      throw diskFullOr(error);
    });

  /** Writes tell the sequence they were committed under, or the newest one if they changed nothing. */
  const written = async (
    { method, signal }: CoreRequest,
    answer: (own: Operations) => Promise<CoreAnswer>,
  ): Promise<CoreAnswer> => {
    if (method === 'GET' || method === 'HEAD')
      return answer({ ...operations, ...managementReads(storage, context.models, signal) });
    const own = committing(operations);
    const answered = await answer(own.operations);
    return { ...answered, sequence: own.committed() ?? versions.sequence };
  };

  const lookups = (share: string) => storage.reader({ class: 'lookup', share });
  // Without pictures the rest still serves: a tier that is unwell is told, and takes nobody out of rotation.
  const health = async (): Promise<HealthReport> => {
    const database = await databaseHealth(lookups('health'));
    const pictures = { ok: true, detail: assets.detail() };
    const tier = workers && { workers: await workers.health() };
    return { ok: database.ok, parts: { database, pictures, ...tier } };
  };

  return {
    handle,
    access: {
      project: (id) => findProject(lookups('projects').sql, id.toLowerCase()),
      key: (token) => findKey(lookups('keys').sql, token),
      isAdminToken: (token) => adminToken.matches(token),
      used: (keyId) => keyUse.note(keyId),
    },
    usage,
    feed,
    openapi: () => coreOpenapi({ header: vendor, mediaType }),
    health,
    operations,
    mailQueued: () => mail.queued(),
    webhooks: webhooks.dispatch,
    close: async () => {
      await stopImports(storage);
      for (const part of [webhooks, assets, mail, retention, keyUse, scheduler, recompiler, storage])
        await part.close();
      await lock.release();
    },
  };
}

/** No listing of these surfaces is unlimited, but some have to look at much. */
const MANAGEMENT_STATEMENT_MS = 10_000;

/** What management and admin read with, as long as `signal` has not fired. */
function managementReads(
  storage: Storage,
  models: ModelCache,
  signal: CancelSignal | undefined,
): Pick<Operations, 'reader' | 'read'> {
  const scope = { class: 'management', signal, statementMilliseconds: MANAGEMENT_STATEMENT_MS } as const;
  return {
    reader: storage.reader({ ...scope, share: 'installation' }),
    read: (project, work) => readProject(models, storage.reader({ ...scope, share: project }), project, work),
  };
}

async function databaseHealth({ sql }: Reader): Promise<HealthReport['parts'][string]> {
  const started = performance.now();
  try {
    const row = await sql.get<{ sequence: number }>('SELECT sequence FROM installation');
    const took = (performance.now() - started).toFixed(1);
    return { ok: true, detail: `sequence ${row?.sequence}, read in ${took} ms` };
  } catch (error) {
    return { ok: false, detail: (error as Error).message };
  }
}
