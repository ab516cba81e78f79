/** Composes core in stages: each stage gets the results of the stages before it. */

import { isAdminToken } from '../access/admin-token.ts';
import { findKey } from '../access/keys.ts';
import { findProject } from '../access/projects.ts';
import type { GatewayFeed } from '../changes/gateway-feed.ts';
import type { OpenAssets } from '../files/open-assets.ts';
import type { Services } from '../http/services.ts';
import { installationId } from '../storage/installation.ts';
import { makeFolder } from '../storage/make-folder.ts';
import { OwnerLock } from '../storage/owner-lock.ts';
import { stopImports } from '../transfer/running-imports.ts';
import type { Dispatch } from '../webhooks/dispatch/start-dispatch.ts';
import { bringUpToDate } from './bring-up-to-date.ts';
import { commitListeners } from './commit-listeners.ts';
import type { Core } from './core.ts';
import type { CoreOptions } from './core-options.ts';
import { listenToCommits } from './listen-to-commits.ts';
import { openReadSide } from './open-read-side.ts';
import { openResources, type Resources } from './open-resources.ts';
import { openSurfaces } from './open-surfaces.ts';
import { coreOpenapi } from './openapi.ts';
import { reportHealth } from './report-health.ts';
import { startBackground } from './start-background.ts';
import { type Duties, takeDuties } from './take-duties.ts';
import { startTakeOver } from './take-over.ts';

export interface RunningCore extends Core {
  readonly operations: Services;
  /** Names the installation where it shares something with others. */
  readonly installation: string;
  readonly gatewayFeed: GatewayFeed;
  /** A core in a process of its own says what it answers when an operator asks about it. */
  onCoreReport(source: () => Promise<unknown>): void;
  /** Must be called after a mail was added to the outbox. */
  mailQueued(): void;
  readonly webhooks: Dispatch;
  readonly images: Pick<OpenAssets, 'figures'>;
}

/** @throws StartError with one clear sentence when the data folder cannot be used */
export async function createCore(options: CoreOptions): Promise<RunningCore> {
  // Readable by its owner alone: it contains hashes of keys and unpublished content.
  await makeFolder(options.dataDir);
  const lock = await OwnerLock.take(options.dataDir);
  try {
    return await compose(options, lock);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function compose(options: CoreOptions, lock: OwnerLock): Promise<RunningCore> {
  const resources = await openResources(options);
  const { storage } = resources;
  const { duties, installation } = await prepare(resources).catch(async (error: unknown) => {
    await storage.close();
    throw error;
  });
  // In one turn, so that the read side begins with the commit after which the listeners get the next.
  const readSide = openReadSide(resources, duties);
  const background = startBackground(resources, readSide, duties);
  listenToCommits(storage, commitListeners(resources, readSide, background), resources.failed);
  const { recompiler, unlisted } = readSide;
  const { mail, webhooks, assets, retention, keyUse, scheduler, actJobs, services, transfers } = background;
  for (const part of [recompiler, unlisted, scheduler, ...retention, transfers]) part.start();
  const takeOver = startTakeOver(resources, background, duties);
  const close = async () => {
    await stopImports(storage);
    for (const part of [
      takeOver,
      transfers,
      webhooks,
      assets,
      mail,
      ...retention,
      keyUse,
      scheduler,
      actJobs,
      recompiler,
      unlisted,
      readSide.gatewayFeed,
      storage,
    ])
      await part.close();
  };
  if (!options.isCommand)
    await readSide.gatewayFeed.start().catch(async (error: unknown) => {
      await close();
      throw error;
    });
  const lookups = (share: string) => storage.reader({ class: 'lookup', share });
  return {
    handle: openSurfaces(resources, readSide, background),
    access: {
      project: (id) => findProject(lookups('projects').sql, id.toLowerCase()),
      key: (hash) => findKey(lookups('keys').sql, hash),
      isAdminToken: (hash) => isAdminToken(lookups('admin token').sql, hash),
      used: (keyId) => keyUse.record(keyId),
    },
    usage: background.usage,
    feed: readSide.feed,
    gatewayFeed: readSide.gatewayFeed,
    onReport: (source) => readSide.gatewayFeed.reports.serve(source),
    onCoreReport: (source) => readSide.gatewayFeed.installationReports.serve(source),
    installation,
    openapi: async () => coreOpenapi({ header: resources.vendor, mediaType: options.vendor.mediaType }),
    health: () => reportHealth(storage, assets, resources.blobs, options),
    operations: services,
    mailQueued: () => mail.queued(),
    webhooks: webhooks.dispatch,
    images: assets,
    close: async () => {
      await close();
      await lock.release();
    },
  };
}

async function prepare(resources: Resources): Promise<{ duties: Duties; installation: string }> {
  await bringUpToDate(resources);
  return {
    duties: await takeDuties(resources),
    installation: await installationId(resources.storage.sql),
  };
}
