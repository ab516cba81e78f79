import { mkdtempSync, rmSync } from 'node:fs';
import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startChild } from './child.ts';
import type { DatasetOrder, DatasetReply } from './make-dataset.ts';

/** A data folder of generated content that a service can be started over. */
export interface Dataset {
  readonly folder: string;
  readonly project: string;
  /** Items whose default language is published. */
  readonly published: number;
  readonly items: number;
  /** What making it took. */
  readonly seconds: number;
  /** It was there from an earlier run. */
  readonly reused: boolean;
}

/** One generated item in fifty stays a draft. */
export const itemsFor = (published: number) => published + Math.floor((published - 1) / 49);

/** Makes each folder once, when it is first asked for. */
export class Datasets {
  readonly #folder: string;
  readonly #progress: (text: string) => void;
  readonly #made = new Map<string, Promise<Dataset>>();

  /** @param keepIn folder to keep data in between runs; a temporary one when absent */
  constructor(keepIn: string | undefined, progress: (text: string) => void) {
    const folder = keepIn ? resolve(keepIn) : mkdtempSync(join(tmpdir(), 'headwater-bench-'));
    // Also after a Ctrl-C.
    if (keepIn === undefined) process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    this.#folder = folder;
    this.#progress = progress;
  }

  /** A project with so many published items; each is translated into six of ten further languages. */
  of(published: number, languages = 1): Promise<Dataset> {
    const name = languages === 1 ? `${published}-items` : `${published}-items-${languages}-languages`;
    const known = this.#made.get(name);
    if (known) return known;
    const made = this.#make(name, published, languages);
    this.#made.set(name, made);
    return made;
  }

  /** A copy of a folder, for a second service beside the first or one that will change it. */
  twin(dataset: Dataset): Promise<Dataset> {
    return this.copy(dataset, 'twin');
  }

  /** The same under a name, where one copy is not enough. */
  async copy(dataset: Dataset, name: string): Promise<Dataset> {
    const folder = await this.folder(name);
    await cp(dataset.folder, folder, { recursive: true });
    return { ...dataset, folder };
  }

  /** A data folder of another kind, empty at first. */
  async folder(name: string): Promise<string> {
    const folder = join(this.#folder, name);
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    return folder;
  }

  async #make(name: string, published: number, languages: number): Promise<Dataset> {
    const folder = join(this.#folder, name);
    const note = join(folder, 'dataset.json');
    const kept = await readFile(note, 'utf8').catch(() => undefined);
    if (kept !== undefined) return { ...(JSON.parse(kept) as Dataset), folder, reused: true };
    const part = `${folder}.part`;
    await rm(part, { recursive: true, force: true });
    await rm(folder, { recursive: true, force: true });
    const items = itemsFor(published);
    this.#progress(`generating ${name} (${items} items with drafts)`);
    const child = startChild<DatasetOrder, DatasetReply>('make-dataset.ts', { progress: this.#progress });
    const { project, seconds } = await child
      .ask({ folder: part, items, languages })
      .finally(() => child.end());
    const dataset = { folder, project, published, items, seconds, reused: false };
    await writeFile(join(part, 'dataset.json'), JSON.stringify(dataset));
    await rename(part, folder);
    return dataset;
  }
}
