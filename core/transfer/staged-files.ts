import { createHash } from 'node:crypto';
import { type ContentFacts, ContentReader, storeFacts } from '../assets/content-facts.ts';
import { uprightSource } from '../images/image-source.ts';
import type { Issues } from '../model/issues.ts';
import type { Blobs, StagedBlob } from '../storage/blobs/blobs.ts';
import type { Transaction } from '../storage/ports.ts';
import { walkInPieces } from '../turns/in-pieces.ts';
import type { ArchiveFile } from './archive-rows.ts';
import { damaged } from './archive-rows.ts';
import type { ArchiveEntry } from './read-archive.ts';

interface Taken {
  readonly size: number;
  readonly facts: ContentFacts;
  /** Undefined: the content was stored before. */
  readonly staged?: StagedBlob;
}

interface Expected {
  readonly size: number;
  readonly location: Issues['location'];
}

interface FileRow {
  readonly id: string;
  readonly hash: string;
  readonly width: number | null;
  readonly height: number | null;
}

/** The files of an archive, not readable until the whole archive is valid. */
export class StagedFiles {
  readonly #blobs: Blobs;
  readonly #issues: Issues;
  readonly #taken = new Map<string, Taken>();
  /** By the records of files. */
  readonly #expected = new Map<string, Expected>();

  constructor(blobs: Blobs, issues: Issues) {
    this.#blobs = blobs;
    this.#issues = issues;
  }

  get count(): number {
    return this.#taken.size;
  }

  async take({ name, content }: ArchiveEntry): Promise<void> {
    const hash = name.slice('files/'.length);
    const reader = new ContentReader();
    const sum = createHash('sha256');
    let size = 0;
    async function* passing(): AsyncGenerator<Uint8Array> {
      for await (const chunk of content) {
        reader.write(chunk);
        sum.update(chunk);
        size += chunk.byteLength;
        yield chunk;
      }
    }
    let staged: StagedBlob | undefined;
    if ((await this.#blobs.size(hash)) === undefined) staged = await this.#blobs.stage(passing());
    else for await (const _ of passing());
    if (sum.digest('hex') !== hash) {
      await staged?.drop();
      throw damaged(`the file ${hash} is not what it was`);
    }
    this.#taken.set(hash, { size, facts: reader.facts, ...(staged && { staged }) });
  }

  expect({ hash, size }: ArchiveFile): void {
    const before = this.#expected.get(hash);
    if (before && before.size !== size) this.#issues.add('The content has another size elsewhere.', 'size');
    else this.#expected.set(hash, { size, location: this.#issues.location });
  }

  /** Compares content with its records. */
  async check(): Promise<void> {
    for (const [hash, { size, location }] of this.#expected) {
      this.#issues.location = location;
      const found = this.#taken.get(hash)?.size;
      if (found === undefined) this.#issues.add(`The file ${hash} is missing.`, 'file.hash');
      else if (found !== size)
        this.#issues.add(`The file ${hash} has ${found} bytes, not ${size}.`, 'file.size');
    }
  }

  /** Makes files with a record readable; drops the rest. */
  async keep(): Promise<void> {
    for (const [hash, { staged }] of this.#taken)
      await (this.#expected.has(hash) ? staged?.keep() : staged?.drop());
  }

  /** Stores media type and size of images as found in the bytes, as for an upload. */
  async describe(tx: Transaction, project: number): Promise<void> {
    for (const hash of this.#expected.keys()) {
      const found = this.#taken.get(hash);
      if (found) await storeFacts(tx, hash, found.facts);
    }
    // There is no index of hashes.
    const files = await walkInPieces<FileRow>(
      Number.POSITIVE_INFINITY,
      (limit, last) =>
        tx.all('SELECT id, hash, width, height FROM file WHERE project = ? AND id > ? ORDER BY id LIMIT ?', [
          project,
          last?.id ?? '',
          limit,
        ]),
      () => 0,
    );
    for (const { id, hash, ...recorded } of files) {
      const facts = this.#taken.get(hash)?.facts;
      if (!facts) continue;
      const { width = null, height = null } = facts.image ? uprightSource(facts.image) : {};
      if (width === recorded.width && height === recorded.height) continue;
      await tx.run('UPDATE file SET width = ?, height = ? WHERE id = ?', [width, height, id]);
    }
  }

  async drop(): Promise<void> {
    for (const { staged } of this.#taken.values()) await staged?.drop();
  }
}
