import { boundedCache } from '../../config/bounded-cache.ts';
import { type ContentFacts, loadFacts, readFacts, storeFacts } from '../assets/content-facts.ts';
import type { Blobs } from '../storage/blobs/blobs.ts';
import type { Reader, Storage } from '../storage/ports.ts';

/** A file as clients request it. */
export interface ServedFile {
  readonly id: string;
  readonly name: string;
  readonly hash: string;
  readonly size: number;
  /** As it was declared when it was uploaded. */
  readonly type: string;
  /** Of the project, when this was read. */
  readonly sequence: number;
}

/** Assets that have the file, or had it before they got another one; `gone`: the asset was deleted since. */
const SHOWN = `SELECT a.file AS file, CASE WHEN a.archived IS NULL THEN 0 ELSE 1 END AS gone FROM asset a WHERE a.file = f.id
  UNION ALL SELECT o.file, o.gone FROM former_file o WHERE o.file = f.id`;

/**
 * The file, unless all its assets are deleted. A replaced file keeps its URL, for pages that were built before, as long
 * as its asset exists.
 */
export function findServedFile(
  { sql }: Reader,
  project: string,
  id: string,
): Promise<ServedFile | undefined> {
  return sql.get<ServedFile>(
    `SELECT f.id AS id, f.name AS name, f.hash AS hash, f.size AS size, f.type AS type, p.sequence AS sequence
     FROM file f JOIN project p ON p.number = f.project
     WHERE f.id = ? AND p.id = ? AND p.archived IS NULL
       AND (NOT EXISTS (SELECT 1 FROM (${SHOWN}) s) OR EXISTS (SELECT 1 FROM (${SHOWN}) s WHERE s.gone = 0))`,
    [id.toLowerCase(), project.toLowerCase()],
  );
}

/** Files whose facts are cached; some 300 bytes each. */
const CACHED_FACTS = 20_000;

/** Facts by hash. Content that was stored before facts were gets them when it is first requested. */
export class KnownFacts {
  readonly #storage: Storage;
  readonly #reader: Reader;
  readonly #blobs: Blobs;
  readonly #failed: (error: unknown) => void;
  readonly #reading = new Map<string, Promise<ContentFacts>>();
  readonly #known = boundedCache<string, ContentFacts>(CACHED_FACTS);

  /** @param failed is called when facts could not be stored; they are read again then */
  constructor(storage: Storage, reader: Reader, blobs: Blobs, failed: (error: unknown) => void) {
    this.#storage = storage;
    this.#reader = reader;
    this.#blobs = blobs;
    this.#failed = failed;
  }

  async of(hash: string): Promise<ContentFacts> {
    const known = this.#known.get(hash) ?? (await loadFacts(this.#reader.sql, hash));
    if (!known) return this.#reading.get(hash) ?? this.#read(hash);
    this.#known.set(hash, known);
    return known;
  }

  #read(hash: string): Promise<ContentFacts> {
    const reading = readFacts(this.#blobs.open(hash)).finally(() => this.#reading.delete(hash));
    this.#reading.set(hash, reading);
    reading
      .then((facts) => this.#storage.write((tx) => storeFacts(tx, hash, facts)))
      // The caller gets an error of reading from the promise below.
      .catch(this.#failed);
    return reading;
  }
}
