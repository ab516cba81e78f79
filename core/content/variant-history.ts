import type { ProjectView } from '../transaction/project-view.ts';
import type { VersionedVariant } from './versions.ts';

/** Something that happened to a variant. */
export interface HistoryEntry {
  readonly sequence: number;
  readonly part: number;
  readonly at: string;
  /** `create`, `upsert`, `restore_version`, `publish` … */
  readonly operation: string;
  /** Null = the installation. */
  readonly user: { readonly id: string; readonly name: string | null } | null;
  /** The version that was written, published or scheduled; null = it is no longer kept, or not known. */
  readonly version: number | null;
}

/** Operations that write a version. */
const WRITES = ['create', 'upsert', 'restore_version'];
const isWriting = (operation: string) => WRITES.includes(operation);
/** Operations on the whole item that its variants show. */
const OF_ITEM = `'archive', 'restore', 'restore_publish'`;

interface ChangeRow {
  readonly sequence: number;
  readonly part: number;
  readonly at: string;
  readonly operation: string;
  readonly actor: string | null;
  readonly name: string | null;
}

interface VersionRow {
  readonly number: number;
  readonly sequence: number;
}

/** Of a change, in the order of time. */
type Position = readonly [sequence: number, part: number];

/** Changes of one statement: of a sitting, most are folded into one entry. */
const PIECE = 1000;

/**
 * The history of a variant, newest first: the change log, and before its beginning the versions that are kept.
 * @param before position that the page starts after
 */
export async function variantHistory(
  view: ProjectView,
  variant: VersionedVariant,
  { before, limit }: { readonly before: Position; readonly limit: number },
): Promise<HistoryEntry[]> {
  const logged: HistoryEntry[] = [];
  // The whole commit, whose versions belong to all of its changes.
  for (let from: Position = [before[0], Number.MAX_SAFE_INTEGER]; ; ) {
    const changes = await readChanges(view, variant, from);
    for (const entry of await withVersions(view, variant, changes))
      if (isOlder(entry, from) && !isFolded(entry, logged.at(-1))) logged.push(entry);
    const entries = logged.filter((entry) => isOlder(entry, before));
    if (entries.length >= limit) return entries.slice(0, limit);
    const last = changes.at(-1);
    if (last) from = [last.sequence, last.part];
    if (changes.length < PIECE)
      return [...entries, ...(await readUnlogged(view, variant, from[0], limit - entries.length))];
  }
}

function isOlder({ sequence, part }: HistoryEntry, position: Position): boolean {
  return sequence < position[0] || (sequence === position[0] && part < position[1]);
}

/**
 * With the change at the position, which older ones may be folded into. Those of the variant and those of its item are each read
 * in their order: a program that writes a variant every minute leaves half a million in a year.
 */
function readChanges(
  { tx, project }: ProjectView,
  { item, language }: VersionedVariant,
  from: Position,
): Promise<ChangeRow[]> {
  const some = (name: string, condition: string) =>
    `SELECT * FROM (SELECT sequence, part, at, operation, actor FROM change
       WHERE object = ? AND project = ? AND ${condition} AND (sequence, part) <= (?, ?)
       ORDER BY sequence DESC, part DESC LIMIT ${PIECE}) AS ${name}`;
  return tx.all<ChangeRow>(
    `SELECT c.sequence AS sequence, c.part AS part, c.at AS at, c.operation AS operation, c.actor AS actor, a.name AS name
     FROM (${some('of_variant', `type = 'content_item_variant'`)}
       UNION ALL ${some('of_item', `type = 'content_item' AND operation IN (${OF_ITEM})`)}) c
       LEFT JOIN account a ON a.id = c.actor
     ORDER BY c.sequence DESC, c.part DESC LIMIT ${PIECE}`,
    [`${item.id}/${language.id}`, project.number, ...from, item.id, project.number, ...from],
  );
}

async function withVersions(
  { tx }: ProjectView,
  variant: VersionedVariant,
  changes: readonly ChangeRow[],
): Promise<HistoryEntry[]> {
  const [newest, oldest] = [changes.at(0)?.sequence, changes.at(-1)?.sequence];
  if (newest === undefined || oldest === undefined) return [];
  // With the one that was there before the oldest change.
  const versions = await tx.all<VersionRow>(
    `SELECT number, sequence FROM version WHERE variant = ? AND sequence <= ? AND sequence >= coalesce(
       (SELECT max(sequence) FROM version WHERE variant = ? AND sequence < ?), 0) ORDER BY sequence, number`,
    [variant.number, newest, variant.number, oldest],
  );
  const earlier = await tx.get<{ sequence: number | null }>(
    `SELECT max(sequence) AS sequence FROM change WHERE object = ? AND operation IN (${WRITES.map(() => '?').join(', ')})
       AND sequence < ?`,
    [`${variant.item.id}/${variant.language.id}`, ...WRITES, oldest],
  );
  const written = earlier?.sequence ?? undefined;
  let isKept = written === undefined || versions.some(({ sequence }) => sequence === written);
  /** By commit: its writes whose versions are not kept, which are the oldest; below zero: versions that no write names. */
  const gone = new Map<number, number>();
  const count = (sequence: number, by: number) => gone.set(sequence, (gone.get(sequence) ?? 0) + by);
  for (const { sequence, operation } of changes) if (isWriting(operation)) count(sequence, 1);
  for (const { sequence } of versions) count(sequence, -1);
  let latest: VersionRow | undefined;
  let at = 0;
  const entries: HistoryEntry[] = [];
  const inOrder = [...changes].reverse();
  for (const [index, { actor, name, ...change }] of inOrder.entries()) {
    const isWrite = isWriting(change.operation);
    const isGone = isWrite && (gone.get(change.sequence) ?? 0) > 0;
    if (isGone) count(change.sequence, -1);
    const isLast = inOrder[index + 1]?.sequence !== change.sequence;
    // A commit may write several, as an import does: a write has the next one, the last change what is left.
    let left = isGone ? 0 : isLast ? Number.POSITIVE_INFINITY : Number(isWrite);
    for (let next = versions[at]; next && next.sequence <= change.sequence; next = versions[++at]) {
      if (next.sequence === change.sequence && left-- === 0) break;
      latest = next;
    }
    if (isWrite) isKept = latest?.sequence === change.sequence;
    entries.push({
      ...change,
      user: actor === null ? null : { id: actor, name },
      version: isKept ? (latest?.number ?? null) : null,
    });
    // The published version is the latest one again; which one that is, the log does not say.
    if (change.operation === 'discard_draft') isKept = false;
  }
  return entries.reverse();
}

/** Versions that one person wrote one after the other may be kept as one: the entries of the others say nothing. */
function isFolded(entry: HistoryEntry, newer: HistoryEntry | undefined): boolean {
  return (
    entry.version === null &&
    entry.operation === 'upsert' &&
    newer?.operation === 'upsert' &&
    newer.user?.id === entry.user?.id
  );
}

/** Versions that are older than the change log. */
async function readUnlogged(
  { tx }: ProjectView,
  variant: VersionedVariant,
  before: number,
  limit: number,
): Promise<HistoryEntry[]> {
  const rows = await tx.all<{
    number: number;
    sequence: number;
    at: string;
    actor: string | null;
    name: string | null;
  }>(
    `SELECT n.number AS number, n.sequence AS sequence, n.created AS at, n.account AS actor, a.name AS name
     FROM version n LEFT JOIN account a ON a.id = n.account
     WHERE n.variant = ? AND n.sequence < ? ORDER BY n.sequence DESC, n.number DESC LIMIT ?`,
    [variant.number, before, limit],
  );
  return rows.map(({ number, sequence, at, actor, name }) => ({
    sequence,
    part: 0,
    at,
    operation: 'upsert',
    user: actor === null ? null : { id: actor, name },
    version: number,
  }));
}
