import type { CommittedChanges, Reader, Storage } from '../storage/ports.ts';
import { loadModel } from './load-model.ts';
import type { ProjectModel } from './model.ts';

interface Entry {
  readonly model: Promise<ProjectModel>;
  /** Changes of the project that were committed, and how many the model is known to have lived through. */
  commits: number;
  checked: number;
}

/**
 * Models of projects in memory. A commit makes a model doubtful; the next reader asks for its sequence, one
 * cheap read. Listings need not even that: their statement compares the sequence itself.
 */
export class ModelCache {
  readonly #storage: Storage;
  readonly #lookups: Reader;
  readonly #entries = new Map<string, Entry>();

  constructor(storage: Storage) {
    this.#storage = storage;
    this.#lookups = storage.reader({ class: 'lookup', share: 'models' });
  }

  /** To be called with every commit. */
  committed({ entries }: Pick<CommittedChanges, 'entries'>): void {
    for (const { projectId } of entries) {
      const entry = projectId === null ? undefined : this.#entries.get(projectId);
      if (entry) entry.commits++;
    }
  }

  /** The model as last seen; good for a plan whose execution checks `modelSequence`. */
  async recent(project: string): Promise<ProjectModel> {
    const entry = this.#entries.get(project);
    return entry ? entry.model : this.#load(project);
  }

  /** @throws ServiceError unknownProject, also for an archived one */
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
    if (row?.sequence !== model.sequence) return this.#load(project);
    // Only now: whoever asks meanwhile must not get it unchecked.
    entry.checked = Math.max(entry.checked, commits);
    return model;
  }

  /** To be called when an execution found the model changed. */
  forget(project: string): void {
    this.#entries.delete(project);
  }

  #load(project: string): Promise<ProjectModel> {
    // Many wait for it, on every surface.
    const reader = this.#storage.reader({ class: 'management', share: `model ${project}` });
    const model = reader.snapshot((sql) => loadModel(sql, project));
    const entry: Entry = { model, commits: 0, checked: 0 };
    this.#entries.set(project, entry);
    model.catch(() => {
      if (this.#entries.get(project) === entry) this.#entries.delete(project);
    });
    return model;
  }
}
