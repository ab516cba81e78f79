import { loadRuleFacts } from '../content/load-rule-facts.ts';
import { readStoredElements } from '../content/read-stored-elements.ts';
import { ReferencedContent } from '../content/referenced.ts';
import { checkComponents } from '../content/value-checks.ts';
import { SCHEDULE } from '../jobs/job-kinds.ts';
import { idOfExternalId } from '../model/external-id.ts';
import { collectFactIds, type FactIds, findViolations } from '../model/find-violations.ts';
import type { Issues } from '../model/issues.ts';
import type { ContentType } from '../model/model.ts';
import type { StoredElements } from '../model/values.ts';
import type { SqlValue } from '../storage/sql.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import { jsonText } from '../turns/json-bytes.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';
import type { ArchiveVariant, ArchiveVersion } from './archive-rows.ts';
import type { IdMap } from './id-map.ts';
import type { ReadRow } from './read-row.ts';
import { readLongJson, readRow } from './read-row.ts';

interface VariantContext {
  readonly issues: Issues;
  /** Receives violations of element limits and of required elements; the values are imported all the same. */
  readonly violations: Issues;
  readonly ids: IdMap;
}

/** A variant that was read; its values follow when references are resolved. */
interface Pending {
  readonly location: Issues['location'];
  readonly variant: ArchiveVariant;
  readonly item: ItemRow;
  readonly type: ContentType;
  readonly language: number;
  readonly versions: readonly {
    readonly row: ArchiveVersion;
    readonly elements: Awaited<ReturnType<typeof readStoredElements>>;
  }[];
}

/** Imports variants with their versions by the rules of writing them; the same transaction compiles them. */
export async function importVariants(
  transaction: ProjectTransaction,
  rows: readonly ReadRow[],
  context: VariantContext,
): Promise<void> {
  const { issues, ids, violations } = context;
  const { tx } = transaction;
  const items = await itemsOf(transaction, rows, ids);
  const taken = await variantsOf(transaction, items);
  const content = new ReferencedContent(transaction, issues);
  const pending: Pending[] = [];
  for (const { location, value } of rows) {
    if (isTurnLong()) await nextTurn();
    issues.location = location;
    const read = await readVariant(transaction, { ...context, items, taken, content }, value);
    if (read) pending.push({ ...read, location });
  }
  await content.resolve();
  const values: ReadValues[] = [];
  const variantRows: SqlValue[][] = [];
  const versionRows: SqlValue[][] = [];
  for (const { location, variant, item, type, language, versions } of pending) {
    if (isTurnLong()) await nextTurn();
    issues.location = location;
    const texts: string[] = [];
    for (const [index, { elements: read }] of versions.entries()) {
      issues.within = `versions[${index}].`;
      const elements = await read();
      checkComponents(issues, transaction.model, type, elements);
      values.push({ location, within: issues.within, type, elements });
      texts.push(await jsonText(elements));
    }
    issues.within = '';
    // The archive is refused: only its other issues matter.
    if (issues.any) continue;
    const number = await tx.numbers('variant');
    const first = await tx.numbers('version', versions.length);
    const at = (index: number | null) => (index === null ? null : first + index);
    variantRows.push([
      number,
      item.number,
      language,
      at(variant.draft),
      at(variant.published),
      variant.scheduled_to,
      await scheduleOf(transaction, variant, item.id),
      variant.was_published,
      variant.last_modified,
      variant.archived,
    ]);
    for (const [index, { row }] of versions.entries())
      versionRows.push([first + index, number, texts[index] ?? '{}', row.created, row.account, tx.sequence]);
    transaction.touchItem(item.number);
  }
  if (!issues.any) await reportViolations(transaction, violations, values);
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

interface ReadValues {
  readonly location: Issues['location'];
  readonly within: string;
  readonly type: ContentType;
  readonly elements: StoredElements;
}

async function reportViolations(
  transaction: ProjectTransaction,
  violations: Issues,
  values: readonly ReadValues[],
): Promise<void> {
  const { model } = transaction;
  const ids: FactIds = { items: new Set(), assets: new Set() };
  for (const { type, elements } of values) await collectFactIds(model, type, elements, ids);
  const facts = await loadRuleFacts(transaction, ids);
  for (const { location, within, type, elements } of values) {
    violations.location = location;
    violations.within = within;
    for (const { message, path } of await findViolations(model, type, elements, facts))
      violations.add(message, path);
  }
}

interface ItemRow {
  readonly number: number;
  readonly id: string;
  readonly type: number | null;
  readonly archived: string | null;
}

/** The items that the rows name, by their id in the project. */
async function itemsOf(
  { tx, project }: ProjectTransaction,
  rows: readonly ReadRow[],
  ids: IdMap,
): Promise<ReadonlyMap<string, ItemRow>> {
  const named = new Set<string>();
  for (const { value } of rows) {
    const item = (value as Partial<ArchiveVariant> | null)?.item;
    if (typeof item === 'string') named.add(ids.of(item));
  }
  const among = tx.among('id', [...named]);
  const items = await tx.all<ItemRow>(
    `SELECT id, number, type, archived FROM item WHERE project = ? AND ${among.text}`,
    [project.number, among.parameter],
  );
  return new Map(items.map((item) => [item.id, item]));
}

/** `item:language` of existing variants. */
async function variantsOf(
  { tx }: ProjectTransaction,
  items: ReadonlyMap<string, ItemRow>,
): Promise<Set<string>> {
  const among = tx.among(
    'item',
    [...items.values()].map(({ number }) => number),
  );
  const rows = await tx.all<{ item: number; language: number }>(
    `SELECT item, language FROM variant WHERE ${among.text}`,
    [among.parameter],
  );
  return new Set(rows.map(({ item, language }) => `${item}:${language}`));
}

async function readVariant(
  { model }: ProjectTransaction,
  context: VariantContext & {
    readonly items: ReadonlyMap<string, ItemRow>;
    readonly taken: Set<string>;
    readonly content: ReferencedContent;
  },
  value: unknown,
): Promise<Omit<Pending, 'location'> | undefined> {
  const { issues, ids, items, taken, content } = context;
  const variant = readRow<ArchiveVariant>(issues, 'variant', value);
  if (!variant) return undefined;
  const item = items.get(ids.of(variant.item));
  // Its item has an issue already.
  if (item?.type === null && item.archived !== null) return undefined;
  const type = item?.type == null ? undefined : model.typeByNumber.get(item.type);
  if (!item || !type) {
    issues.add(`There is no item with the id '${variant.item}'.`, 'item');
    return undefined;
  }
  const language = model.languageById.get(variant.language);
  if (!language) {
    issues.add(`There is no language with the id '${variant.language}'.`, 'language');
    return undefined;
  }
  const key = `${item.number}:${language.number}`;
  if (taken.has(key)) issues.add('The item has another variant in the language.', 'language');
  taken.add(key);
  checkState(issues, variant, item);
  const versions: Pending['versions'][number][] = [];
  for (const [index, row] of readVersions(issues, variant.versions).entries()) {
    issues.within = `versions[${index}].`;
    const stored = await readLongJson(issues, await ids.replaceIn(row.elements), 'elements');
    const elements = await readStoredElements(
      { model, issues, content, stored: true },
      type,
      stored,
      'elements',
    );
    versions.push({ row, elements });
  }
  issues.within = '';
  return { variant, item, type, language: language.number, versions };
}

/** A variant has a draft, a published version or both, and no other version; only a draft can be scheduled. */
function checkState(issues: Issues, variant: ArchiveVariant, item: ItemRow): void {
  const { draft, published, scheduled_to, schedule } = variant;
  const indexes = new Set([draft, published].filter((index) => index !== null));
  const count = Array.isArray(variant.versions) ? variant.versions.length : 0;
  if (count === 0 || indexes.size !== count || [...indexes].some((index) => index >= count))
    issues.add('Each version is the draft or the published one, and there is at least one.', 'versions');
  if (scheduled_to === null && schedule !== null) issues.add('A schedule needs a time.', 'schedule');
  if (scheduled_to !== null && (draft === null || variant.archived !== null || item.archived !== null))
    issues.add('Only a draft that is not archived can be scheduled.', 'scheduled_to');
}

function readVersions(issues: Issues, versions: unknown): ArchiveVersion[] {
  if (!Array.isArray(versions)) {
    issues.add('An array of versions is expected.', 'versions');
    return [];
  }
  // A variant has at most two.
  return versions.slice(0, 2).flatMap((version, index) => {
    issues.within = `versions[${index}].`;
    const row = readRow<ArchiveVersion>(issues, 'version', version);
    issues.within = '';
    return row ?? [];
  });
}

/** Keeps variants of one schedule together: the id of the job is derived, so that later batches find it. */
async function scheduleOf(
  transaction: ProjectTransaction,
  variant: ArchiveVariant,
  item: string,
): Promise<string | null> {
  const { tx, project } = transaction;
  if (variant.scheduled_to === null) return null;
  const wanted = variant.schedule ?? idOfExternalId(project.id, 'schedule', `${item}/${variant.language}`);
  // Ids of jobs are unique among all projects.
  const other = await tx.get<{ project: number | null; kind: string }>(
    'SELECT project, kind FROM job WHERE id = ?',
    [wanted],
  );
  const isFree = !other || (other.project === project.number && other.kind === SCHEDULE);
  const job = isFree ? wanted : idOfExternalId(project.id, 'schedule', wanted);
  await tx.run(
    `INSERT INTO job (id, project, kind, subject, state, done, total, actor, created, updated)
     VALUES (?, ?, ?, ?, 'waiting', 0, 1, NULL, ?, ?)
     ON CONFLICT (id) DO UPDATE SET total = job.total + 1`,
    [job, project.number, SCHEDULE, 'imported', tx.now, tx.now],
  );
  transaction.change('content_item_variant', 'schedule', `${item}/${variant.language}`, []);
  return job;
}
