import { idOfExternalId } from '../content/external-id.ts';
import { SCHEDULE } from '../publishing/schedule.ts';
import type { Session } from '../session.ts';
import type { SqlValue } from '../storage/ports.ts';
import { type ArchiveItem, type ArchiveVariant, damaged } from './archive-rows.ts';
import type { IdMap } from './id-map.ts';
import { present } from './import-assets.ts';

/** Items without content, so that what comes after can link to all of them. */
export async function importItems(
  session: Session,
  items: readonly ArchiveItem[],
  ids: IdMap,
): Promise<void> {
  const { tx, project, model } = session;
  const given = items.map((item) => ({ ...item, id: ids.give('item', item.id, item.external_id) }));
  const there = await present(session, 'item', given);
  const rows = given.filter(({ id }) => !there.has(id));
  const first = await tx.numbers('item', rows.length);
  await tx.insert(
    'item',
    [
      'number',
      'project',
      'id',
      'name',
      'codename',
      'external_id',
      'type',
      'sitemap_locations',
      'created',
      'last_modified',
      'archived',
    ],
    rows.map((item, index) => {
      const type = item.type === null ? null : model.typeById.get(item.type);
      if (type === undefined || (type !== null && item.codename === null))
        throw damaged('an item has no type');
      return [
        first + index,
        project.number,
        item.id,
        item.name,
        item.codename,
        item.external_id,
        type?.number ?? null,
        item.sitemap_locations,
        item.created,
        item.last_modified,
        item.archived,
      ];
    }),
  );
}

/** Variants with their versions, compiled in the same transaction; those that are there stay as they are. */
export async function importVariants(
  session: Session,
  variants: readonly ArchiveVariant[],
  ids: IdMap,
): Promise<void> {
  const { tx, project, model } = session;
  const among = tx.among('id', [...new Set(variants.map(({ item }) => ids.of(item)))]);
  const items = await tx.all<{ id: string; number: number }>(
    `SELECT id, number FROM item WHERE project = ? AND ${among.text}`,
    [project.number, among.parameter],
  );
  const itemNumbers = new Map(items.map(({ id, number }) => [id, number]));
  const numbers = tx.among(
    'item',
    items.map(({ number }) => number),
  );
  const there = await tx.all<{ item: number; language: number }>(
    `SELECT item, language FROM variant WHERE ${numbers.text}`,
    [numbers.parameter],
  );
  const known = new Set(there.map(({ item, language }) => `${item}:${language}`));
  const variantRows: SqlValue[][] = [];
  const versionRows: SqlValue[][] = [];
  for (const variant of variants) {
    const item = itemNumbers.get(ids.of(variant.item));
    const language = model.languageById.get(variant.language)?.number;
    if (item === undefined || language === undefined) throw damaged('a variant has no item or language');
    if (known.has(`${item}:${language}`)) continue;
    const number = await tx.numbers('variant');
    const versions = await tx.numbers('version', variant.versions.length);
    const at = (place: number | null) => {
      if (place !== null && place >= variant.versions.length) throw damaged('a variant has no such version');
      return place === null ? null : versions + place;
    };
    variantRows.push([
      number,
      item,
      language,
      at(variant.draft),
      at(variant.published),
      variant.scheduled_to,
      await scheduleOf(session, variant, ids.of(variant.item)),
      variant.was_published,
      variant.last_modified,
      variant.archived,
    ]);
    for (const [place, { elements, created, account }] of variant.versions.entries())
      versionRows.push([versions + place, number, ids.in(elements), created, account, tx.sequence]);
    session.touchItem(item);
  }
  await tx.insert(
    'variant',
    [
      'number',
      'item',
      'language',
      'draft',
      'published',
      'scheduled_to',
      'schedule',
      'was_published',
      'last_modified',
      'archived',
    ],
    variantRows,
  );
  await tx.insert(
    'version',
    ['number', 'variant', 'elements', 'created', 'account', 'sequence'],
    versionRows,
  );
}

/** Variants that were scheduled together still are; the job gets an id that the next batch finds again. */
async function scheduleOf(session: Session, variant: ArchiveVariant, item: string): Promise<string | null> {
  const { tx, project } = session;
  if (variant.scheduled_to === null || variant.archived !== null) return null;
  const job = idOfExternalId(
    project.id,
    'schedule',
    variant.schedule ?? `${variant.item}/${variant.language}`,
  );
  await tx.run(
    `INSERT INTO job (id, project, kind, subject, state, done, total, actor, created, updated)
     VALUES (?, ?, ?, ?, 'waiting', 0, 1, NULL, ?, ?)
     ON CONFLICT (id) DO UPDATE SET total = job.total + 1`,
    [job, project.number, SCHEDULE, 'imported', tx.now, tx.now],
  );
  session.change('content_item_variant', 'schedule', `${item}/${variant.language}`, []);
  return job;
}
