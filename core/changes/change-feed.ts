import type { ChangeEntry, CommitState, CommittedChanges, Storage } from '../storage/ports.ts';

/** One committed change, as gateways get it. */
export interface Change {
  readonly sequence: number;
  readonly epoch: string;
  /** Project id (GUID), or null for the installation. */
  readonly project: string | null;
  readonly tags: readonly string[];
  /** Milliseconds between its commit and its delivery, by core's clock. */
  readonly age?: number;
}

export type FeedPosition = CommitState;

/** A feed whose `completeUntil` is older than this is lost: changes may have been missed. */
export const FEED_LOST_MS = 1000;

/** Whether a feed is not lost. */
export function isFollowed({ completeUntil }: { readonly completeUntil: number }): boolean {
  return completeUntil === Number.POSITIVE_INFINITY || performance.now() - completeUntil <= FEED_LOST_MS;
}

export interface ChangeFeed {
  /**
   * Time (`performance.now()`) up to which all commits have been delivered; Infinity where only this process commits. What
   * is cached is valid as of this time only; see `FEED_LOST_MS`.
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

interface Subscriber {
  readonly onChange: (change: Change) => void;
  readonly onReset: (position: FeedPosition) => void;
}

/** The subscribers of a feed. */
export class FeedSubscribers {
  readonly #subscribers = new Set<Subscriber>();
  readonly #failed: (error: unknown) => void;

  /** @param failed is called when a subscriber threw; the others still get the change */
  constructor(failed: (error: unknown) => void) {
    this.#failed = failed;
  }

  subscribe(onChange: Subscriber['onChange'], onReset: Subscriber['onReset'] = () => {}): () => void {
    const subscriber = { onChange, onReset };
    this.#subscribers.add(subscriber);
    return () => this.#subscribers.delete(subscriber);
  }

  publish(change: Change): void {
    this.#each(({ onChange }) => onChange(change));
  }

  reset(position: FeedPosition): void {
    this.#each(({ onReset }) => onReset(position));
  }

  get isEmpty(): boolean {
    return this.#subscribers.size === 0;
  }

  #each(call: (subscriber: Subscriber) => void): void {
    for (const subscriber of this.#subscribers) {
      try {
        call(subscriber);
      } catch (error) {
        this.#failed(error);
      }
    }
  }
}

/**
 * Delivers committed changes to subscribers in this process, in commit order, before the write is acknowledged.
 */
export class MemoryFeed implements ChangeFeed {
  readonly #storage: Pick<Storage, 'completeUntil'>;
  readonly #subscribers: FeedSubscribers;

  /** @param failed is called when a listener threw; the other listeners still get the change */
  constructor(storage: Pick<Storage, 'completeUntil'>, failed: (error: unknown) => void) {
    this.#storage = storage;
    this.#subscribers = new FeedSubscribers(failed);
  }

  get completeUntil(): number {
    return this.#storage.completeUntil;
  }

  subscribe(...listeners: Parameters<ChangeFeed['subscribe']>): () => void {
    return this.#subscribers.subscribe(...listeners);
  }

  publish(changes: CommittedChanges): void {
    if (this.#subscribers.isEmpty) return;
    const { sequence, epoch, time } = changes;
    const age = performance.now() - time;
    for (const { project, tags } of changesByProject(changes))
      this.#subscribers.publish({ sequence, epoch, project, tags, age });
  }

  reset(position: FeedPosition): void {
    this.#subscribers.reset(position);
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
