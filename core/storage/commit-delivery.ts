import type { CommitState, CommittedChanges } from './ports.ts';

/** A process that missed more commits gets none of them: its caches begin anew. */
export const MOST_MISSED = 10_000;

/** A part of the change log, and the newest commit at the time, read in one snapshot. */
export interface LogPart extends CommitState {
  /** Commits after the position that was asked for, in order. */
  readonly commits: readonly CommittedChanges[];
  /** The last sequence that the part would contain. */
  readonly upTo: number;
}

interface Listener {
  readonly committed: (changes: CommittedChanges) => void;
  readonly reset: (position: CommitState) => void;
}

/**
 * Calls the commit listeners: each commit once and in order, from whatever source it comes first. Sequences of an
 * installation only rise, a restore included, so they order what comes from different sources.
 */
export class CommitDelivery {
  readonly #listeners: Listener[] = [];
  #state: CommitState;
  #completeUntil: number;

  /** @param completeUntil see `Storage.completeUntil` */
  constructor(state: CommitState, completeUntil: number) {
    this.#state = state;
    this.#completeUntil = completeUntil;
  }

  /** The last commit that the listeners have. */
  get state(): CommitState {
    return this.#state;
  }

  get completeUntil(): number {
    return this.#completeUntil;
  }

  listen(committed: Listener['committed'], reset: Listener['reset']): void {
    this.#listeners.push({ committed, reset });
  }

  /** A commit of this process. */
  deliver(changes: CommittedChanges): void {
    const { sequence, epoch } = changes;
    if (sequence <= this.#state.sequence) return;
    this.#state = { sequence, epoch };
    for (const { committed } of this.#listeners) committed(changes);
  }

  /** All data were replaced, or commits cannot be delivered any more. */
  reset(position: CommitState): void {
    this.#state = position;
    for (const { reset } of this.#listeners) reset(position);
  }

  /**
   * @param began when (`performance.now()`)
   * @returns whether the listeners have everything that was committed then
   */
  deliverPart({ commits, upTo, sequence, epoch }: LogPart, began: number): boolean {
    const newest = { sequence, epoch };
    if (epoch !== this.#state.epoch) {
      // Unless it was read before a restore by this process, which raises the sequence.
      if (sequence >= this.#state.sequence) this.reset(newest);
    } else {
      for (const changes of commits) {
        if (changes.sequence > this.#state.sequence + 1) break;
        this.deliver(changes);
      }
      const isMissing = this.#state.sequence < Math.min(sequence, upTo);
      if (isMissing || sequence - this.#state.sequence > MOST_MISSED) this.reset(newest);
    }
    if (this.#state.sequence < sequence) return false;
    this.#completeUntil = Math.max(this.#completeUntil, began);
    return true;
  }
}
