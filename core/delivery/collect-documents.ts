import type { Channel, ProjectModel } from '../model/model.ts';
import { compileStale } from '../read-model/compile-stale.ts';
import type { CompiledSettings } from '../read-model/compiled-settings.ts';
import type { PageReads } from '../storage/ports.ts';
import type { Sql } from '../storage/sql.ts';
import { inPieces } from '../turns/in-pieces.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';
import { projectDocument, type ShownDocument } from './project-document.ts';

/** Documents read at a time. */
const BATCH = 200;
/** Of linked documents that are held at once; whoever asks for more is streamed to. */
const LINKED_CHARACTERS = 8_000_000;

/** What documents are read for: whose, for which readers, how much of them. */
export interface Reading {
  readonly model: ProjectModel;
  readonly channel: Channel;
  readonly view: number;
  /** Element codenames; null = all. */
  readonly projection: ReadonlySet<string> | null;
  readonly settings: CompiledSettings;
}

/** What documents link to. */
export interface LinkedDocuments {
  readonly linked: readonly ShownDocument[];
  /** Items that readers do not get, by storage number. */
  readonly missing: ReadonlySet<number>;
}

/** The documents of items as the reading shows them: in order, up to date, projected. */
export async function collectDocuments(
  reads: Sql & PageReads,
  reading: Reading,
  items: readonly number[],
  pending: boolean,
): Promise<ShownDocument[]> {
  if (items.length === 0) return [];
  const rows = await inPieces(
    items,
    (some) => reads.documents(reading.view, some),
    ({ body, components }) => body.length + components.length,
  );
  let behind = new Map<number, (typeof rows)[number]>();
  if (pending) {
    const numbers = await reads.stale(
      reading.model.project.number,
      rows.map((row) => row.number),
    );
    const stale = rows.filter((row) => numbers.has(row.number));
    if (stale.length > 0)
      behind = await compileStale(reads, reading.model, reading.channel, stale, reading.settings);
  }
  const shown: ShownDocument[] = [];
  for (const row of rows) {
    if (isTurnLong()) await nextTurn();
    shown.push(projectDocument(behind.get(row.number) ?? row, reading.projection));
  }
  return shown;
}

/**
 * The items linked from `roots`, level by level, each once; a root that something links back to is among
 * them. One batched query a level. Null: they are too many to hold, as a few levels can reach a whole project.
 */
export async function collectLinked(
  reads: Sql & PageReads,
  reading: Reading,
  roots: readonly ShownDocument[],
  depth: number,
  pending: boolean,
): Promise<LinkedDocuments | null> {
  let characters = 0;
  const known = new Map(roots.map((root) => [root.item, root]));
  const linked = new Map<number, ShownDocument>();
  const lacking = new Set<number>();
  let frontier: readonly ShownDocument[] = roots;
  for (let level = 0; level < depth && frontier.length > 0; level++) {
    const wanted = new Set(
      frontier.flatMap((document) => document.linked).filter((item) => !linked.has(item)),
    );
    const missing = [...wanted].filter((item) => !known.has(item));
    const fetched: ShownDocument[] = [];
    for (let from = 0; from < missing.length; from += BATCH) {
      for (const document of await collectDocuments(
        reads,
        reading,
        missing.slice(from, from + BATCH),
        pending,
      )) {
        known.set(document.item, document);
        fetched.push(document);
        characters += document.body.length + document.components.length;
      }
      if (characters > LINKED_CHARACTERS) return null;
    }
    for (const item of wanted) {
      const document = known.get(item);
      if (document) linked.set(item, document);
      else lacking.add(item);
    }
    // Roots were expanded on the first level.
    frontier = fetched;
  }
  return {
    linked: [...linked.values()].sort((a, b) => (a.codename < b.codename ? -1 : 1)),
    missing: lacking,
  };
}
