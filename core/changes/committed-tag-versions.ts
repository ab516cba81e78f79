import type { CommitState, CommittedChanges } from '../storage/ports.ts';
import { EVERYTHING } from './tags.ts';

/** Tags stored over all projects, some 100 bytes each. */
const CAPACITY = 200_000;

/**
 * The newest sequence, and the sequence of the last change of each tag: shows whether an answer is current without a read
 * of the database. Updated by each commit of this process before the write is acknowledged.
 */
export class CommittedTagVersions {
  readonly #capacity: number;
  readonly #projects = new Map<string, Map<string, number>>();
  #sequence: number;
  /** Changes up to this sequence are forgotten. */
  #floor: number;
  #size = 0;

  /** @param newest the last commit when the store was opened */
  constructor(newest: Pick<CommitState, 'sequence'>, capacity = CAPACITY) {
    this.#sequence = newest.sequence;
    this.#floor = newest.sequence;
    this.#capacity = capacity;
  }

  /**
   * The sequence of the newest commit. A caller that reads it before its first read of the database gets data that is at
   * least as new.
   */
  get sequence(): number {
    return this.#sequence;
  }

  record({ sequence, entries }: Pick<CommittedChanges, 'sequence' | 'entries'>): void {
    this.#sequence = sequence;
    for (const { projectId, tags } of entries) {
      if (projectId === null) continue;
      this.#set(projectId, EVERYTHING);
      for (const tag of tags) this.#set(projectId, tag);
    }
    if (this.#size > this.#capacity) this.#forget();
  }

  /** Commits were missed, or all data were replaced: the versions begin anew. */
  reset({ sequence }: Pick<CommitState, 'sequence'>): void {
    this.#sequence = sequence;
    this.#forget();
  }

  /** Whether one of the tags changed after the sequence; true when that is forgotten. */
  changed(project: string, tags: readonly string[], since: number): boolean {
    if (since < this.#floor || since > this.#sequence) return true;
    const versions = this.#projects.get(project);
    return versions !== undefined && tags.some((tag) => (versions.get(tag) ?? 0) > since);
  }

  #set(project: string, tag: string): void {
    let versions = this.#projects.get(project);
    if (!versions) {
      versions = new Map();
      this.#projects.set(project, versions);
    }
    if (!versions.has(tag)) this.#size++;
    versions.set(tag, this.#sequence);
  }

  #forget(): void {
    this.#projects.clear();
    this.#size = 0;
    this.#floor = this.#sequence;
  }
}
