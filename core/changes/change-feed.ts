import type { ChangeEntry, CommittedChanges } from '../storage/ports.ts';

/** One committed change, as gateways get it. */
export interface Change {
  readonly sequence: number;
  readonly epoch: string;
  /** Project id (GUID), or null for the installation. */
  readonly project: string | null;
  readonly tags: readonly string[];
  /** Milliseconds between its commit and its delivery, by core's clock; absent in process. */
  readonly age?: number;
}

/** A position in the order of commits. */
export interface FeedPosition {
  readonly sequence: number;
  readonly epoch: string;
}

/** A feed whose `completeUntil` is older than this is lost: changes may have been missed. */
export const FEED_LOST_MS = 1000;

export interface ChangeFeed {
  /**
   * Time (`performance.now()`) up to which all commits have been delivered; Infinity in process. What is cached is valid
   * as of this time only; see `FEED_LOST_MS`.
   */
  readonly completeUntil: number;
  /**
   * Calls `onChange` for each change in commit order, and `onReset` if changes were missed that cannot be delivered any
   * more (a gap, or another epoch): what shows an earlier position is outdated.
   *
   * @returns a function that unsubscribes both
   */
  subscribe(onChange: (change: Change) => void, onReset?: (position: FeedPosition) => void): () => void;
}

/** What one commit changed in one project. */
export type ProjectChange = Pick<Change, 'project' | 'tags'>;

/** A transaction is one change for each project that it touched. */
export function changesByProject({
  entries,
}: {
  readonly entries: readonly Pick<ChangeEntry, 'projectId' | 'tags'>[];
}): ProjectChange[] {
  const byProject = new Map<string | null, Set<string>>();
  for (const entry of entries) {
    const tags = byProject.get(entry.projectId) ?? new Set<string>();
    for (const tag of entry.tags) tags.add(tag);
    byProject.set(entry.projectId, tags);
  }
  return [...byProject].map(([project, tags]) => ({ project, tags: [...tags] }));
}

/**
 * Delivers committed changes to subscribers in this process, in commit order, before the write is acknowledged.
 */
export class MemoryFeed implements ChangeFeed {
  readonly #listeners = new Set<(change: Change) => void>();
  readonly #failed: (error: unknown) => void;
  readonly completeUntil = Number.POSITIVE_INFINITY;

  /** @param failed is called when a listener threw; the other listeners still get the change */
  constructor(failed: (error: unknown) => void) {
    this.#failed = failed;
  }

  /** No change is missed within a process, so nothing is reset. */
  subscribe(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  publish(changes: CommittedChanges): void {
    if (this.#listeners.size === 0) return;
    const { sequence, epoch } = changes;
    for (const { project, tags } of changesByProject(changes)) {
      const change = { sequence, epoch, project, tags };
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

interface Waiter {
  readonly sequence: number;
  readonly done: () => void;
}

/** Callers that wait until a commit was delivered or confirmed. */
export class SequenceWaiters {
  readonly #waiters = new Set<Waiter>();

  /** Resolves when `settle` finds the sequence reached, or after the time. */
  wait(sequence: number, milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#waiters.delete(waiter);
        resolve();
      };
      const timer = setTimeout(done, milliseconds);
      const waiter = { sequence, done };
      this.#waiters.add(waiter);
    });
  }

  settle(isReached: (sequence: number) => boolean): void {
    for (const { sequence, done } of this.#waiters) if (isReached(sequence)) done();
  }
}
