import { deleteItem, restoreItem, updateItem } from '../content/items.ts';
import { unscheduleVariants } from '../content/unschedule-variants.ts';
import { deleteVariant, restoreVariant } from '../content/variants.ts';
import type { Language } from '../model/model.ts';
import type { ContentPermission } from '../transaction/content-access.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import { type ActTarget, locatedOf } from './act-targets.ts';
import { recordVariant } from './locate-variant.ts';
import { newVersionLocated, publishLocated, unpublishLocated } from './publish.ts';
import { scheduleLocated } from './schedule.ts';

export const ACT_NAMES = [
  'publish',
  'schedule',
  'cancel_schedule',
  'unpublish',
  'archive',
  'restore',
  'move',
  'change_step',
] as const;
export type ActName = (typeof ACT_NAMES)[number];

export const ACT_CHANGES = [
  /** A variant becomes public that was not. */
  'publish',
  /** Its draft replaces the public version. */
  'replace',
  'cancel_schedule',
  'unpublish',
  'archive',
  'restore',
  'move',
  /** A draft is made of the published version. */
  'new_version',
  /** There is nothing to do. */
  'none',
] as const;
export type ActChange = (typeof ACT_CHANGES)[number];

/** What an act needs beside its objects. */
export interface ActInput {
  /** Of `schedule`, in the form of transaction times. */
  readonly at?: string;
  /** Of `move`: ids of sitemap nodes. */
  readonly locations?: readonly string[];
  /** Of `change_step`. */
  readonly step?: 'draft' | 'archived';
  /** Of `publish` and `schedule`: drafts that the objects link to are objects too. */
  readonly includeLinked?: boolean;
}

interface Act {
  /** Items only, variants only, or both. */
  readonly about: 'items' | 'variants' | 'both';
  /** Permission for each object. */
  readonly needs: ContentPermission;
  /** The drafts must follow the rules of their types. */
  readonly needsValid?: boolean;
  readonly findsArchived?: boolean;
  /** Objects of one transaction of a job. */
  readonly batch: number;
  changeOf(target: ActTarget, input: ActInput): ActChange;
  /** @param targets those that change */
  apply(transaction: ProjectTransaction, targets: readonly ActTarget[], input: ActInput): Promise<void>;
}

/** Each compiles documents, for a millisecond; more would let other writers wait long. */
const COMPILED = 200;
/** Compiles nothing. */
const NOT_COMPILED = 1000;

export const ACTS: Readonly<Record<ActName, Act>> = {
  publish: {
    about: 'variants',
    needs: 'publish',
    needsValid: true,
    batch: COMPILED,
    changeOf: publishes,
    apply: (transaction, targets) => publishLocated(transaction, targets.map(locatedOf)),
  },
  schedule: {
    about: 'variants',
    needs: 'publish',
    needsValid: true,
    batch: NOT_COMPILED,
    changeOf: publishes,
    apply: (transaction, targets, { at }) =>
      scheduleLocated(transaction, targets.map(locatedOf), at ?? transaction.now),
  },
  cancel_schedule: {
    about: 'variants',
    needs: 'publish',
    batch: NOT_COMPILED,
    changeOf: (target) =>
      isLive(target) && target.variant?.scheduled_to != null ? 'cancel_schedule' : 'none',
    apply: (transaction, targets) =>
      each(targets, async (target) => {
        const located = locatedOf(target);
        await unscheduleVariants(transaction, located.item.number, located.language.number);
        recordVariant(transaction, located, 'cancel_schedule');
      }),
  },
  unpublish: {
    about: 'variants',
    needs: 'publish',
    batch: COMPILED,
    changeOf: (target) => (isLive(target) && target.variant?.published != null ? 'unpublish' : 'none'),
    apply: (transaction, targets) =>
      each(targets, (target) => unpublishLocated(transaction, locatedOf(target))),
  },
  archive: {
    about: 'both',
    needs: 'delete-content',
    batch: COMPILED,
    changeOf: (target) => (isLive(target) ? 'archive' : 'none'),
    apply: (transaction, targets) => each(targets, (target) => archive(transaction, target)),
  },
  restore: {
    about: 'both',
    needs: 'delete-content',
    findsArchived: true,
    batch: COMPILED,
    changeOf: ({ item, language, variant }) =>
      (language === null || variant) && (item.archived ?? variant?.archived ?? null) !== null
        ? 'restore'
        : 'none',
    apply: restore,
  },
  move: {
    about: 'items',
    needs: 'edit-content',
    batch: COMPILED,
    changeOf: (target, { locations = [] }) =>
      isLive(target) && JSON.stringify(target.item.sitemapLocations) !== JSON.stringify(locations)
        ? 'move'
        : 'none',
    apply: (transaction, targets, { locations = [] }) =>
      each(targets, ({ item }) =>
        updateItem(
          transaction,
          { id: item.id },
          { name: item.name, sitemap_locations: locations.map((id) => ({ id })) },
        ),
      ),
  },
  change_step: {
    about: 'variants',
    needs: 'edit-content',
    batch: COMPILED,
    changeOf(target, { step }) {
      if (!isLive(target) || !target.variant) return 'none';
      const { draft, published } = target.variant;
      if (step === 'draft') return draft === null ? 'new_version' : 'none';
      return published === null ? 'archive' : 'none';
    },
    apply: (transaction, targets, { step }) =>
      each(targets, (target) =>
        step === 'draft' ? newVersionLocated(transaction, locatedOf(target)) : archive(transaction, target),
      ),
  },
};

function publishes(target: ActTarget): ActChange {
  if (!isLive(target) || !target.variant || target.variant.draft === null) return 'none';
  return target.variant.published === null ? 'publish' : 'replace';
}

function isLive({ item, language, variant }: ActTarget): boolean {
  return item.archived === null && (language === null || variant?.archived === null);
}

async function archive(transaction: ProjectTransaction, { item, language }: ActTarget): Promise<void> {
  if (!language) return deleteItem(transaction, { id: item.id });
  await deleteVariant(transaction, { id: item.id }, { id: language.id });
}

/** Of an archived item of which some languages are meant, the others stay archived. */
async function restore(transaction: ProjectTransaction, targets: readonly ActTarget[]): Promise<void> {
  const archived = new Map<ActTarget['item'], (Language | null)[]>();
  for (const { item, language } of targets)
    if (item.archived !== null) archived.set(item, [...(archived.get(item) ?? []), language]);
  for (const [item, meant] of archived) {
    const isWhole = meant.includes(null);
    const languages = meant.flatMap((language) => language ?? []);
    if (!isWhole) await archiveOthers(transaction, item, languages);
    await restoreItem(transaction, item.id, isWhole ? 'all' : languages[0]);
  }
  for (const { item, language, variant } of targets)
    if (language && (item.archived === null || variant?.archived != null))
      await restoreVariant(transaction, { id: item.id }, { id: language.id });
}

async function archiveOthers(
  { tx }: ProjectTransaction,
  { number, archived }: ActTarget['item'],
  languages: readonly Language[],
): Promise<void> {
  const kept = tx.among(
    'language',
    languages.map((language) => language.number),
  );
  await tx.run(`UPDATE variant SET archived = ? WHERE item = ? AND archived IS NULL AND NOT (${kept.text})`, [
    archived,
    number,
    kept.parameter,
  ]);
}

async function each(
  targets: readonly ActTarget[],
  work: (target: ActTarget) => Promise<unknown>,
): Promise<void> {
  for (const target of targets) await work(target);
}
