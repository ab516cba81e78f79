/** Puts core together: the one place where its parts meet their database, files and clock. */
import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Workers } from '../workers/contract.ts';
import { type AdminToken, NO_ADMIN_TOKEN } from './access/admin-token.ts';
import { KeyUse } from './access/key-use.ts';
import { findKey } from './access/keys.ts';
import { findProject } from './access/projects.ts';
import { admin } from './admin/admin.ts';
import { openAssets } from './assets/open-assets.ts';
import { serveFile } from './assets/serve-file.ts';
import { type FeedCarrier, MemoryFeed } from './changes/change-feed.ts';
import { Retention, type RetentionSettings } from './changes/retention.ts';
import { TagVersions } from './changes/tag-versions.ts';
import { committing } from './committed-sequence.ts';
import type { Core, CoreAnswer, CoreRequest, HealthReport } from './contract.ts';
import { type DeliveryCaps, NO_CAPS, withinCaps } from './delivery/caps.ts';
import { deliver } from './delivery/delivery.ts';
import type { DeliveryContext } from './delivery/delivery-context.ts';
import { DocumentCache } from './delivery/document-cache.ts';
import { ListingMemory } from './delivery/listing-memory.ts';
import { ModelCache } from './delivery/model-cache.ts';
import type { ImageSettings } from './images/limits.ts';
import { inProject } from './in-project.ts';
import { startMail } from './mail/start-mail.ts';
import type { MailSettings } from './mail/transport.ts';
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
import type { Storage } from './storage/ports.ts';
import { openSqlite } from './storage/sqlite/open-sqlite.ts';
import { failImportsBrokenOff } from './transfer/import-project.ts';
import type { QuotaSettings } from './usage/quotas.ts';
import { Usage } from './usage/usage.ts';
import { DEFAULT_DESK_SETTINGS, WebhookDesk, type WebhookDeskSettings } from './webhooks/desk/desk.ts';
import { failReplaysBrokenOff } from './webhooks/desk/replays.ts';
import type { DispatchClock } from './webhooks/dispatch/dispatch-clock.ts';
import {
  DEFAULT_WEBHOOK_SETTINGS,
  type Dispatch,
  startDispatch,
  type WebhookSettings,
} from './webhooks/dispatch/start-dispatch.ts';
import { fillMasks } from './webhooks/lanes/open-lane.ts';
import { createPrepare } from './webhooks/prepare.ts';

export interface CoreLog {
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
}

export interface CoreOptions {
  /** Made when missing. */
  readonly dataDir: string;
  readonly vendor: {
    /** The `SVC` of `X-SVC-…`; the first is used in answers, all are understood. */
    readonly header: readonly string[];
    /** The `service` of `application/service`. */
    readonly mediaType: string;
  };
  readonly management?: {
    /** Version 2 takes a change of an item without `sitemap_locations`; the item stays where it is. */
    readonly sitemapLocationsOptional: boolean;
  };
  readonly log: CoreLog;
  /** How long the past is kept; for good unless told. */
  readonly retention?: RetentionSettings;
  readonly adminToken?: AdminToken;
  /** What one call of delivery or preview may ask for; anything unless told. */
  readonly delivery?: DeliveryCaps;
  /** Calls that projects may make; as many as come unless told. */
  readonly quotas?: QuotaSettings;
  /** How mails leave; into files of the data folder unless told. */
  readonly mail?: Omit<MailSettings, 'folder'> & { readonly folder: string | null };
  readonly images?: Partial<ImageSettings>;
  /** Makes pictures and signs large batches; without it pictures that are not there yet are answered with 503. */
  readonly workers?: Workers;
  /** Where notifications may go: only to the public internet unless told. */
  readonly webhooks?: Partial<WebhookSettings & WebhookDeskSettings>;
  /** What webhooks wait by; the system's clocks unless given. */
  readonly dispatchClock?: DispatchClock;
  readonly now?: () => Date;
  readonly newId?: () => string;
}

const NO_MAIL_SERVER = { smtp: null, from: 'Headwater <headwater@localhost>' };

/** Of a variant, and of a project whose schedules waited. */
const WAKES_SCHEDULER: ReadonlySet<string> = new Set(['schedule', 'restore']);

export interface RunningCore extends Core {
  readonly operations: Operations;
  /** Something was put into the outbox. */
  mailQueued(): void;
  readonly webhooks: Dispatch;
}

/** @throws StorageStartError with one clear sentence when the data folder cannot be used */
export async function createCore(options: CoreOptions): Promise<RunningCore> {
  const { dataDir, log } = options;
  // Keys' hashes and unpublished content are nobody else's to read.
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const lock = await OwnerLock.take(dataDir);
  try {
    const clock = options.now ?? (() => new Date());
    const storage = await openSqlite({ file: join(dataDir, 'headwater.db'), clock });
    const blobs = await openDiskBlobs(join(dataDir, 'files'));
    return await assemble(options, lock, storage, blobs, log);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function assemble(
  options: CoreOptions,
  lock: OwnerLock,
  storage: Storage,
  blobs: Blobs,
  log: CoreLog,
): Promise<RunningCore> {
  const kit: Kit = { newId: options.newId ?? randomUUID };
  const readSide = { mediaType: options.vendor.mediaType };
  const feed: FeedCarrier = new MemoryFeed((error) =>
    log.error({ err: error }, 'A listener of the change feed failed; what it keeps may be out of date.'),
  );
  const newest = await storage.sql.get<{ sequence: number }>('SELECT sequence FROM installation');
  const versions = new TagVersions({ sequence: newest?.sequence ?? 0, epoch: storage.epoch });
  // Before anybody else hears of a commit, so that nobody who has asks about an older one.
  storage.onCommit((changes) => versions.note(changes));
  const context: DeliveryContext = {
    storage,
    versions,
    models: new ModelCache(storage),
    listings: new ListingMemory(),
    documents: new DocumentCache(storage),
    settings: readSide,
  };
  const recompiler = new Recompiler(storage, kit, readSide, (error) =>
    log.error({ err: error }, 'Recompiling stale documents broke off; it is tried again shortly.'),
  );
  storage.onCommit((changes) => {
    feed.publish(changes);
    if (changes.entries.some(({ operation }) => WAKES_SCHEDULER.has(operation))) scheduler.wake();
    if (changes.entries.some(({ type }) => type === 'key')) mail.keysChanged();
    if (changes.entries.some(({ type }) => type === 'installation')) takeOver();
  });
  // A backup may hold documents that were compiled with other settings, mails that wait, and keys that expire.
  const takeOver = () => {
    mail.queued();
    mail.keysChanged();
    rebakeIfChanged(storage, readSide)
      .then(() => recompiler.wake())
      .catch((error: unknown) =>
        log.error({ err: error }, 'What was restored could not be brought up to date; restart to try again.'),
      );
  };
  await rebakeIfChanged(storage, readSide);
  await failImportsBrokenOff(storage);
  await failReplaysBrokenOff(storage);
  await fillMasks(storage);
  recompiler.wake();
  const adminToken = options.adminToken ?? NO_ADMIN_TOKEN;
  const usage = new Usage(storage, options.quotas ?? {}, options.now ?? (() => new Date()));
  const keyUse = new KeyUse(storage, options.now ?? (() => new Date()), (error) =>
    log.error({ err: error }, 'When keys were used last could not be written.'),
  );
  const webhookSettings = { ...DEFAULT_WEBHOOK_SETTINGS, ...DEFAULT_DESK_SETTINGS, ...options.webhooks };
  const vendor = options.vendor.header[0] ?? 'SVC';
  const desk = new WebhookDesk({
    storage,
    settings: webhookSettings,
    byHand: {
      prepare: createPrepare({ vendor, standardHeaders: webhookSettings.standardHeaders }, options.workers),
      send: (parcel, signal) => webhooks.send(parcel, signal),
      now: options.now ?? (() => new Date()),
    },
    failed: (error) =>
      log.error({ err: error }, 'Notifications could not be sent again, or their log could not be cleared.'),
  });
  const operations: Operations = {
    inProject: (project, actor, work) =>
      inProject(
        storage,
        { kit, readSide, models: context.models, stale: () => recompiler.wake() },
        project,
        actor,
        work,
      ),
    read: (project, work) => readProject(context, project, work),
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
    webhooks: desk,
    settled: async () => {
      await scheduler.idle();
      await recompiler.idle();
    },
  };
  const scheduler = new Scheduler(operations, options.now ?? (() => new Date()), (error) =>
    log.error({ err: error }, 'Variants that were due could not be published.'),
  );
  scheduler.wake();
  const retention = new Retention(
    storage,
    options.retention ?? { changeDays: null, revisionDays: null },
    options.now ?? (() => new Date()),
    (error) =>
      log.error({ err: error }, 'Old changes and versions could not be removed; tried again tomorrow.'),
  );
  retention.start();

  const mail = startMail(
    storage,
    { ...NO_MAIL_SERVER, ...options.mail, folder: options.mail?.folder ?? join(options.dataDir, 'mail') },
    options.now ?? (() => new Date()),
    log,
  );

  // Behind the feed: a site that rebuilds on a notification reads the new content.
  const webhooks = startDispatch({
    storage,
    settings: webhookSettings,
    vendor,
    workers: options.workers,
    now: options.now ?? (() => new Date()),
    ...(options.dispatchClock && { clock: options.dispatchClock }),
    told: (news) => mail.laneTurned(news),
    failed: (error) =>
      log.error({ err: error }, 'The lanes of webhooks could not be read or written; tried again shortly.'),
  });

  desk.start();

  const caps = options.delivery ?? NO_CAPS;
  const assets = openAssets({
    storage,
    blobs,
    dataDir: options.dataDir,
    workers: options.workers,
    images: options.images,
    now: options.now ?? (() => new Date()),
    warn: (err, text) => log.warn({ err }, text),
  });

  const handle = async (request: CoreRequest): Promise<CoreAnswer> => {
    switch (request.surface) {
      case 'delivery':
        return withinCaps(caps, request, (asked) => deliver(context, 'published', asked));
      case 'preview':
        return withinCaps(caps, request, (asked) => deliver(context, 'latest', asked));
      case 'assets':
        return serveFile(assets.context, request);
      case 'admin':
        return written(request, (own) => admin(own, request));
      case 'manage':
        return written(request, (own) => manage(own, { ...readSide, ...options.management }, request));
    }
  };

  /** Writes tell the sequence they were committed under, or the newest one if they changed nothing. */
  const written = async (
    { method }: CoreRequest,
    answer: (own: Operations) => Promise<CoreAnswer>,
  ): Promise<CoreAnswer> => {
    if (method === 'GET' || method === 'HEAD') return answer(operations);
    const own = committing(operations);
    const answered = await answer(own.operations);
    return { ...answered, sequence: own.committed() ?? versions.sequence };
  };

  const health = async (): Promise<HealthReport> => {
    const started = performance.now();
    const detail = await storage.sql
      .get<{ sequence: number }>('SELECT sequence FROM installation')
      .then((row) => ({
        ok: true,
        detail: `sequence ${row?.sequence}, read in ${(performance.now() - started).toFixed(1)} ms`,
      }))
      .catch((error: Error) => ({ ok: false, detail: error.message }));
    // Without pictures the rest still serves: a tier that is unwell is told, and takes nobody out of rotation.
    const workers = options.workers && { workers: await options.workers.health() };
    const pictures = { ok: true, detail: assets.detail() };
    return { ok: detail.ok, parts: { database: detail, pictures, ...workers } };
  };

  return {
    handle,
    access: {
      project: (id) => findProject(storage.sql, id.toLowerCase()),
      key: (token) => findKey(storage.sql, token),
      isAdminToken: (token) => adminToken.matches(token),
      used: (keyId) => keyUse.note(keyId),
    },
    usage,
    feed,
    openapi: () =>
      coreOpenapi({ header: options.vendor.header[0] ?? 'SVC', mediaType: options.vendor.mediaType }),
    health,
    operations,
    mailQueued: () => mail.queued(),
    webhooks,
    close: async () => {
      await desk.close();
      await webhooks.close();
      await assets.close();
      await mail.close();
      await retention.close();
      await keyUse.close();
      await scheduler.close();
      await recompiler.close();
      await storage.close();
      await lock.release();
    },
  };
}
