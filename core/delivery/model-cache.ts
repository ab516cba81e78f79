import { loadModel } from '../content/load-model.ts';
import type { ProjectModel } from '../content/model.ts';
import type { Storage } from '../storage/ports.ts';

interface Entry {
  readonly model: Promise<ProjectModel>;
  /** A change was committed since the model was last known to be the current one. */
  doubtful: boolean;
}

/**
 * Models of projects in memory. A commit makes a model doubtful; the next reader asks for its sequence, one
 * cheap read. Listings need not even that: their statement compares the sequence itself.
 */
export class ModelCache {
  readonly #storage: Storage;
  readonly #entries = new Map<string, Entry>();

  constructor(storage: Storage) {
    this.#storage = storage;
    storage.onCommit(({ entries }) => {
      for (const { projectId } of entries) {
        const entry = projectId === null ? undefined : this.#entries.get(projectId);
        if (entry) entry.doubtful = true;
      }
    });
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
    if (!entry.doubtful) return entry.model;
    entry.doubtful = false;
    const model = await entry.model;
    const row = await this.#storage.sql.get<{ sequence: number }>(
      'SELECT model_sequence AS sequence FROM project WHERE id = ? AND archived IS NULL',
      [project],
    );
    return row?.sequence === model.sequence ? model : this.#load(project);
  }

  /** To be called when an execution found the model changed. */
  forget(project: string): void {
    this.#entries.delete(project);
  }

  #load(project: string): Promise<ProjectModel> {
    const model = this.#storage.snapshot((sql) => loadModel(sql, project));
    const entry: Entry = { model, doubtful: false };
    this.#entries.set(project, entry);
    model.catch(() => {
      if (this.#entries.get(project) === entry) this.#entries.delete(project);
    });
    return model;
  }
}
