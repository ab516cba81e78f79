import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Checkout } from './checkout.ts';
import { runCommand } from './run-command.ts';

/** A data folder of generated content that a service of its checkout can be started over. */
export interface Dataset {
  /** Whose service opens the folder. A newer one migrates it, so no other checkout may open it after that. */
  readonly checkout: Checkout;
  readonly folder: string;
  readonly project: string;
  /** Items whose default language is published. */
  readonly published: number;
  readonly items: number;
  /** What the process that made it took. */
  readonly seconds: number;
  /** It was there from an earlier run. */
  readonly reused: boolean;
}

/** One generated item in fifty stays a draft. */
export const itemsFor = (published: number) => published + Math.floor((published - 1) / 49);

/** A folder for generated data that is deleted at the end, also after a Ctrl-C. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'headwater-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface DatasetOptions {
  readonly checkout: Checkout;
  readonly folder: string;
  readonly progress: (text: string) => void;
  /** Data to copy instead of generating it; no service may open these folders. */
  readonly copyOf?: Datasets;
}

/** Makes each folder once, when it is first requested. */
export class Datasets {
  readonly #options: DatasetOptions;
  readonly #made = new Map<string, Promise<Dataset>>();

  constructor(options: DatasetOptions) {
    this.#options = options;
  }

  get progress(): (text: string) => void {
    return this.#options.progress;
  }

  /** Whose services open the folders. */
  get checkout(): Checkout {
    return this.#options.checkout;
  }

  /** A project with so many published items; each is translated into six of ten further languages. */
  of(published: number, languages = 1): Promise<Dataset> {
    const name = languages === 1 ? `${published}-items` : `${published}-items-${languages}-languages`;
    const known = this.#made.get(name);
    if (known) return known;
    const { copyOf } = this.#options;
    const made = copyOf
      ? copyOf.of(published, languages).then((source) => this.copy(source, name))
      : this.#make(name, published, languages);
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
    return { ...dataset, folder, checkout: this.#options.checkout };
  }

  /** A data folder of another kind, empty at first. */
  async folder(name: string): Promise<string> {
    const folder = join(this.#options.folder, name);
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    return folder;
  }

  /** A file that is made once and kept with the data. */
  async file(name: string, make: (file: string) => Promise<void>): Promise<string> {
    const file = join(this.#options.folder, name);
    if (existsSync(file)) return file;
    await mkdir(this.#options.folder, { recursive: true });
    await make(`${file}.part`);
    await rename(`${file}.part`, file);
    return file;
  }

  async #make(name: string, published: number, languages: number): Promise<Dataset> {
    const folder = join(this.#options.folder, name);
    const note = join(folder, 'dataset.json');
    const { checkout, progress } = this.#options;
    const kept = await readFile(note, 'utf8').catch(() => undefined);
    if (kept !== undefined) return { ...(JSON.parse(kept) as Dataset), checkout, folder, reused: true };
    const part = `${folder}.part`;
    await rm(part, { recursive: true, force: true });
    await rm(folder, { recursive: true, force: true });
    const items = itemsFor(published);
    progress(`generating ${name} (${items} items with drafts)`);
    const args = ['generate', '--items', `${items}`, '--languages', `${languages}`];
    const { answer, seconds } = await runCommand<{ project_id: string }>(checkout, part, args, progress);
    const dataset = { project: answer.project_id, published, items, seconds };
    await writeFile(join(part, 'dataset.json'), JSON.stringify(dataset));
    await rename(part, folder);
    return { ...dataset, checkout, folder, reused: false };
  }
}
