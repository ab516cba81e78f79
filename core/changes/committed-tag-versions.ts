import type { CommittedChanges } from '../storage/ports.ts';
import { EVERYTHING } from './tags.ts';

/** Tags remembered over all projects, some 100 bytes each. */
const CAPACITY = 200_000;

/**
 * The newest sequence, and the one each tag last changed under: whether an answer still holds can be told
 * without a look at the database. Fed by this process's own commits, before their writers hear of them.
 */
export class CommittedTagVersions {
  readonly #capacity: number;
  readonly #projects = new Map<string, Map<string, number>>();
  #sequence: number;
  /** What changed up to here is not remembered. */
  #floor: number;
  #epoch: string;
  #size = 0;

  /** @param newest the newest commit when the store was opened */
  constructor(newest: { readonly sequence: number; readonly epoch: string }, capacity = CAPACITY) {
    this.#sequence = newest.sequence;
    this.#floor = newest.sequence;
    this.#epoch = newest.epoch;
    this.#capacity = capacity;
  }

  /**
   * Of the newest commit. Whatever is read from now on is at least as new; so an answer may be told to show
   * this when it was asked for before its first read.
   */
  get sequence(): number {
    return this.#sequence;
  }

  note({ sequence, epoch, entries }: Pick<CommittedChanges, 'sequence' | 'epoch' | 'entries'>): void {
    this.#sequence = sequence;
    if (this.#epoch !== epoch) this.#forget();
    this.#epoch = epoch;
    for (const { projectId, tags } of entries) {
      if (projectId === null) continue;
      this.#set(projectId, EVERYTHING);
      for (const tag of tags) this.#set(projectId, tag);
    }
    if (this.#size > this.#capacity) this.#forget();
  }

  /** Whether one of the tags changed after the sequence; true when that is not known any more. */
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
