import { LRUCache } from 'lru-cache';
import { type ContentFacts, loadFacts, readFacts, storeFacts } from '../assets/content-facts.ts';
import type { Blobs } from '../storage/blobs/blobs.ts';
import type { Reader, Storage } from '../storage/ports.ts';

/** A file as readers ask for it. */
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

/** Those who show the file, or did before they were given another one; `gone`: deleted since. */
const SHOWN = `SELECT a.file AS file, a.archived IS NOT NULL AS gone FROM asset a WHERE a.file = f.id
  UNION ALL SELECT o.file, o.gone FROM former_file o WHERE o.file = f.id`;

/**
 * The file, as long as nobody took it away: a file whose assets are all deleted is gone. One that was replaced stays
 * under its own address, for pages that were made before, as long as its asset is there.
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

/** Files whose facts are remembered; some 300 bytes each. */
const REMEMBERED = 20_000;

/** Facts by hash; of content that came before they were kept they are read now, and kept. */
export class KnownFacts {
  readonly #storage: Storage;
  readonly #reader: Reader;
  readonly #blobs: Blobs;
  readonly #failed: (error: unknown) => void;
  readonly #reading = new Map<string, Promise<ContentFacts>>();
  readonly #known = new LRUCache<string, ContentFacts>({ max: REMEMBERED });

  /** @param failed told when they could not be kept; they are read again then */
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
      // Whoever asked is told when it cannot be read.
      .catch(this.#failed);
    return reading;
  }
}
