import { LRUCache } from 'lru-cache';
import type { CommittedChanges, Reader, Storage } from '../storage/ports.ts';
import { loadModel } from './load-model.ts';
import type { ProjectModel } from './model.ts';

/** Of the stored form of all that are kept: some 2 bytes each (75 kB for a model of 9 types with 36,700 characters). */
const CHARACTERS = 32_000_000;

interface Entry {
  readonly model: Promise<ProjectModel>;
  /** Sequence of the model, once it is loaded. */
  sequence?: number;
  /** Commits to the project, and how many of them the model has been checked after. */
  commits: number;
  checked: number;
}

/**
 * Caches the models of the projects that were used last. After a commit, the next reader checks the sequence of the model
 * with one cheap read. Listings skip that check, because their statement compares the sequence.
 */
export class ModelCache {
  readonly #storage: Storage;
  readonly #lookups: Reader;
  readonly #entries: LRUCache<string, Entry>;

  constructor(storage: Storage, characters = CHARACTERS) {
    this.#storage = storage;
    this.#entries = new LRUCache({ maxSize: characters });
    this.#lookups = storage.reader({ class: 'lookup', share: 'models' });
  }

  /** Must be called after every commit. */
  committed({ entries }: Pick<CommittedChanges, 'entries'>): void {
    for (const { projectId } of entries) {
      const entry = projectId === null ? undefined : this.#entries.peek(projectId);
      if (entry) entry.commits++;
    }
  }

  /** Must be called when commits were missed, or all data were replaced. */
  reset(): void {
    this.#entries.clear();
  }

  /** The model as last loaded; for plans whose execution checks `modelSequence`. */
  recent(project: string): Promise<ProjectModel> {
    const entry = this.#entries.get(project);
    return entry ? entry.model : this.#load(project);
  }

  /** @throws unknownProject */
  async current(project: string): Promise<ProjectModel> {
    const entry = this.#entries.get(project);
    if (!entry) return this.#load(project);
    const { commits } = entry;
    if (entry.checked === commits) return entry.model;
    const model = await entry.model;
    const row = await this.#lookups.sql.get<{ sequence: number }>(
      'SELECT model_sequence AS sequence FROM project WHERE id = ? AND archived IS NULL',
      [project],
    );
    if (row?.sequence !== model.sequence) {
      // Of several callers, the first loads it. That began after all of these calls did, so it is new enough for each.
      const newer = this.#entries.get(project);
      return newer && newer !== entry ? newer.model : this.#load(project);
    }
    // Only after the check: callers in between must not get an unchecked model.
    entry.checked = Math.max(entry.checked, commits);
    return model;
  }

  /** Must be called when an execution found a model newer than `stale`. Another caller may have loaded it already. */
  forget({ project: { id }, sequence }: ProjectModel): void {
    if (this.#entries.peek(id)?.sequence === sequence) this.#entries.delete(id);
  }

  #load(project: string): Promise<ProjectModel> {
    // A share of its own: requests on every surface may wait for it.
    const reader = this.#storage.reader({ class: 'management', share: `model ${project}` });
    const model = reader.snapshot((sql) => loadModel(sql, project));
    const entry: Entry = { model, commits: 0, checked: 0 };
    this.#entries.set(project, entry, { size: 1 });
    model.then(
      ({ sequence, characters }) => {
        entry.sequence = sequence;
        if (this.#entries.peek(project) !== entry) return;
        // A value that is set again keeps its size. A model that is larger than all may be is kept, alone.
        this.#entries.delete(project);
        this.#entries.set(project, entry, { size: Math.min(characters, this.#entries.maxSize) });
      },
      () => {
        if (this.#entries.peek(project) === entry) this.#entries.delete(project);
      },
    );
    return model;
  }
}
