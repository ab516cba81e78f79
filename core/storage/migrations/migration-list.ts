import type { Knex } from 'knex';
import * as initial from './0001-initial.ts';
import * as bakedSettings from './0002-baked-settings.ts';
import * as lifeCycle from './0003-life-cycle.ts';
import * as foldersWebhooks from './0004-folders-webhooks.ts';
import * as itemListing from './0005-item-listing.ts';
import * as webhookLanes from './0006-webhook-lanes.ts';
import * as usage from './0007-usage.ts';
import * as contentFacts from './0008-content-facts.ts';
import * as mail from './0011-mail.ts';
import * as formerFiles from './0012-former-files.ts';
import * as usageSources from './0013-usage-sources.ts';
import * as numberSequences from './0014-number-sequences.ts';
import * as adminToken from './0015-admin-token.ts';
import * as postgresReads from './0016-postgres-reads.ts';
import * as jobOwner from './0017-job-owner.ts';
import * as runningCores from './0018-running-cores.ts';
import * as oldestVersion from './0019-oldest-version.ts';
import * as timeline from './0020-timeline.ts';
import * as people from './0021-people.ts';
import * as roles from './0022-roles.ts';
import * as bucketClaim from './0023-bucket-claim.ts';
import * as presence from './0024-presence.ts';
import * as listedItems from './0025-listed-items.ts';
import * as bulkActs from './0026-bulk-acts.ts';
import * as consoleOperators from './0027-console-operators.ts';
import * as limitsIdentities from './0028-limits-identities.ts';
import * as listFilters from './0029-list-filters.ts';
import * as sittings from './0031-sittings.ts';
import * as previewUrls from './0032-preview-urls.ts';
import * as versionOrder from './0033-version-order.ts';
import * as listedAssets from './0035-listed-assets.ts';
import * as textMerging from './0036-text-merging.ts';
import * as resolvedBlocks from './0037-resolved-blocks.ts';
import * as expectedItems from './0039-expected-items.ts';
import * as authorCounts from './0040-author-counts.ts';
import * as renamedFields from './0041-renamed-fields.ts';
import * as namesSequence from './0042-names-sequence.ts';
import * as jobListing from './0043-job-listing.ts';
import * as olderCores from './0044-older-cores.ts';

export interface ListedMigration {
  readonly name: string;
  readonly migration: Knex.Migration;
  /** The only database that needs it. */
  readonly only?: 'sqlite' | 'postgres';
  /**
   * The oldest version of the product that works on the schema with it, from 0019 on. Cores of that version run beside those
   * that brought the migration, so it adds tables, and columns that are null or have a default; what it no longer needs is
   * removed by a later release.
   */
  readonly oldest?: string;
}

/**
 * Every migration in order. A new one gets the next number and is added here; old ones never change. The numbers 9 and
 * 10 were never used.
 */
export const migrations: readonly ListedMigration[] = [
  { name: '0001-initial', migration: initial },
  { name: '0002-baked-settings', migration: bakedSettings },
  { name: '0003-life-cycle', migration: lifeCycle },
  { name: '0004-folders-webhooks', migration: foldersWebhooks },
  { name: '0005-item-listing', migration: itemListing },
  { name: '0006-webhook-lanes', migration: webhookLanes },
  { name: '0007-usage', migration: usage },
  { name: '0008-content-facts', migration: contentFacts },
  { name: '0011-mail', migration: mail },
  { name: '0012-former-files', migration: formerFiles },
  { name: '0013-usage-sources', migration: usageSources },
  { name: '0014-number-sequences', migration: numberSequences, only: 'postgres' },
  { name: '0015-admin-token', migration: adminToken },
  { name: '0016-postgres-reads', migration: postgresReads, only: 'postgres' },
  { name: '0017-job-owner', migration: jobOwner },
  { name: '0018-running-cores', migration: runningCores, only: 'postgres' },
  { name: '0019-oldest-version', migration: oldestVersion, oldest: '0.2.0' },
  { name: '0020-timeline', migration: timeline, oldest: '0.2.0' },
  { name: '0021-people', migration: people, oldest: '0.2.0' },
  { name: '0022-roles', migration: roles, oldest: '0.2.0' },
  { name: '0023-bucket-claim', migration: bucketClaim, oldest: '0.2.0' },
  { name: '0024-presence', migration: presence, oldest: '0.2.0' },
  { name: '0025-listed-items', migration: listedItems, oldest: '0.2.0' },
  { name: '0026-bulk-acts', migration: bulkActs, oldest: '0.2.0' },
  { name: '0027-console-operators', migration: consoleOperators, oldest: '0.2.0' },
  { name: '0028-limits-identities', migration: limitsIdentities, oldest: '0.2.0' },
  { name: '0029-list-filters', migration: listFilters, oldest: '0.2.0' },
  { name: '0031-sittings', migration: sittings, oldest: '0.2.0' },
  { name: '0032-preview-urls', migration: previewUrls, oldest: '0.2.0' },
  { name: '0033-version-order', migration: versionOrder, oldest: '0.2.0' },
  { name: '0035-listed-assets', migration: listedAssets, oldest: '0.2.0' },
  { name: '0036-text-merging', migration: textMerging, only: 'sqlite', oldest: '0.2.0' },
  { name: '0037-resolved-blocks', migration: resolvedBlocks, only: 'postgres', oldest: '0.2.0' },
  // A single process uses the file: no trigger is there for a version that would change items without the counts.
  { name: '0037-resolved-blocks', migration: resolvedBlocks, only: 'sqlite', oldest: '0.3.0' },
  { name: '0039-expected-items', migration: expectedItems, oldest: '0.2.0' },
  { name: '0040-author-counts', migration: authorCounts, oldest: '0.2.0' },
  { name: '0041-renamed-fields', migration: renamedFields, oldest: '0.2.0' },
  { name: '0042-names-sequence', migration: namesSequence, oldest: '0.2.0' },
  { name: '0043-job-listing', migration: jobListing, oldest: '0.2.0' },
  { name: '0044-older-cores', migration: olderCores, only: 'postgres', oldest: '0.2.0' },
];

/** The migrations of one database. */
export function migrationsOf(database: 'sqlite' | 'postgres'): readonly ListedMigration[] {
  return migrations.filter(({ only }) => only === undefined || only === database);
}

/** @returns the list in knex's form: from code instead of a folder, so that the build may move files */
export function migrationSource(list: readonly ListedMigration[]): Knex.MigrationSource<ListedMigration> {
  return {
    getMigrations: async () => [...list],
    getMigrationName: (entry) => entry.name,
    getMigration: async ({ migration }) => ({ ...migration, down: refuse }),
  };
}

async function refuse(): Promise<void> {
  throw new Error('Migrations cannot be undone; restore a backup instead.');
}
