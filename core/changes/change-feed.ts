import type { CommittedChanges } from '../storage/ports.ts';

/** One committed change as it leaves the change log. */
export interface Change {
  readonly sequence: number;
  readonly epoch: string;
  /** Project id (GUID), or null for the installation. */
  readonly project: string | null;
  readonly tags: readonly string[];
}

export interface ChangeFeed {
  /** Calls `listener` for each change in commit order; returns the way to stop. */
  subscribe(listener: (change: Change) => void): () => void;
}

/** What brings committed changes to the gateways: in process, or between processes. */
export interface FeedTransport extends ChangeFeed {
  publish(changes: CommittedChanges): void;
  /**
   * Resolves once every living gateway has told that it heard of `sequence`, or after a second at the latest: a
   * gateway that is silent for so long no longer trusts what it remembers. A key that was replaced is dead from then
   * on, so acts on projects, keys and users are answered after this.
   */
  confirmed(sequence: number): Promise<void>;
}

/**
 * Tells committed changes to whoever subscribed in this process, in commit order, before the write is
 * acknowledged. Carriers between processes implement the same interface.
 */
export class MemoryFeed implements FeedTransport {
  readonly #listeners = new Set<(change: Change) => void>();
  readonly #failed: (error: unknown) => void;

  /** @param failed told of a listener that threw; the others still hear of the change */
  constructor(failed: (error: unknown) => void) {
    this.#failed = failed;
  }

  subscribe(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Listeners are called by `publish` itself, so whoever is there has heard of every commit. */
  confirmed(): Promise<void> {
    return Promise.resolve();
  }

  /** One transaction is one change per project it touched. */
  publish({ sequence, epoch, entries }: CommittedChanges): void {
    const byProject = new Map<string | null, Set<string>>();
    for (const entry of entries) {
      const tags = byProject.get(entry.projectId) ?? new Set<string>();
      for (const tag of entry.tags) tags.add(tag);
      byProject.set(entry.projectId, tags);
    }
    for (const [project, tags] of byProject) {
      const change = { sequence, epoch, project, tags: [...tags] };
      for (const listener of this.#listeners) {
        try {
          listener(change);
        } catch (error) {
          this.#failed(error);
        }
      }
    }
  }
}
