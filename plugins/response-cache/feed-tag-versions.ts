import type { Change, FeedPosition } from '../../core/contract.ts';

/** How far back the time of a change is known; the bound of the settings is at most this. */
const HISTORY_MS = 10_000;
/** Changes within this share one mark, which counts from the first of them. */
const MARK_MS = 50;
/** Tags that have a version each, over all projects. Beyond, older answers of the project with the most count as outdated. */
const TAGS = 100_000;

/** At an unknown time; longer ago than any bound. */
export const LONG_AGO = Number.NEGATIVE_INFINITY;
export const FRESH = Number.POSITIVE_INFINITY;

/** When a tag changed: every answer older than `sequence` is outdated since `at` or later. */
interface Mark {
  sequence: number;
  at: number;
}

/** The changes of one tag. A single "last changed" would make a tag that changes all the time look current for ever. */
class History {
  #settled = 0;
  readonly #recent: Mark[] = [];

  add(sequence: number, now: number): void {
    let [oldest] = this.#recent;
    while (oldest !== undefined && now - oldest.at >= HISTORY_MS) {
      this.#settled = oldest.sequence;
      this.#recent.shift();
      [oldest] = this.#recent;
    }
    const last = this.#recent.at(-1);
    if (last !== undefined && now - last.at < MARK_MS) {
      last.sequence = sequence;
      last.at = Math.min(last.at, now);
    } else this.#recent.push({ sequence, at: now });
  }

  /** Since when an answer of the sequence is outdated, never too late a time; FRESH if it is not. */
  staleSince(sequence: number): number {
    if (this.#settled > sequence) return LONG_AGO;
    for (const mark of this.#recent) if (mark.sequence > sequence) return mark.at;
    return FRESH;
  }
}

/** What changed in one project, as far as the feed has reported. */
export class ProjectVersions {
  /** Changes so far: an answer that was fresh at this number still is. */
  changes = 0;
  #floor = 0;
  readonly #any = new History();
  readonly #tags = new Map<string, History>();

  get size(): number {
    return this.#tags.size;
  }

  add({ sequence, tags }: Change, now: number): void {
    this.changes += 1;
    this.#any.add(sequence, now);
    for (const tag of tags) {
      let history = this.#tags.get(tag);
      if (history === undefined) {
        history = new History();
        this.#tags.set(tag, history);
      }
      history.add(sequence, now);
    }
  }

  /** What is not newer counts as outdated. */
  forget(sequence: number): void {
    this.#tags.clear();
    this.#floor = sequence;
  }

  staleSince(tags: readonly string[], sequence: number): number {
    let since = sequence < this.#floor ? LONG_AGO : FRESH;
    for (const tag of tags) {
      const history = tag === '*' ? this.#any : this.#tags.get(tag);
      if (history !== undefined) since = Math.min(since, history.staleSince(sequence));
    }
    return since;
  }
}

/** What decides whether an answer still holds. */
export interface Versioned {
  readonly versions: ProjectVersions;
  readonly tags: readonly string[];
  readonly sequence: number;
  readonly generation: number;
  /** `versions.changes` when it was last found fresh. */
  checked: number;
}

/**
 * A version per tag, updated by the change feed and compared when an answer is read: a purge is one map write, and
 * an answer that was made before a change and stored after it is found outdated all the same.
 */
export class FeedTagVersions {
  readonly #projects = new Map<string, ProjectVersions>();
  #tags = 0;
  #epoch: string | undefined;
  #floor = 0;
  /** The newest sequence that the feed has reported. */
  newest = 0;
  /** Changes when a backup was restored: sequences from before are not comparable. */
  generation = 0;

  onChange(change: Change, now: number, onGap: 'ignore' | 'stale'): void {
    const { sequence, epoch, project } = change;
    if (this.#epoch !== epoch) {
      if (this.#epoch !== undefined || project === null) this.forget();
      this.#epoch = epoch;
    } else if (onGap === 'stale' && sequence > this.newest + 1 && this.newest > 0) {
      this.#outdate(sequence);
    }
    this.newest = Math.max(this.newest, sequence);
    if (project !== null) this.#add(project, change, now);
  }

  #add(project: string, change: Change, now: number): void {
    const versions = this.of(project);
    const before = versions.size;
    versions.add(change, now);
    this.#tags += versions.size - before;
    while (this.#tags > TAGS) {
      const all = [...this.#projects.values()];
      const largest = all.reduce((one, other) => (other.size > one.size ? other : one));
      this.#tags -= largest.size;
      largest.forget(change.sequence);
    }
  }

  /** Changes up to the position were missed: what is older is outdated, by more than any bound. */
  onReset({ sequence, epoch }: FeedPosition): void {
    if (this.#epoch !== epoch) this.forget();
    this.#epoch = epoch;
    this.#outdate(sequence);
    this.newest = Math.max(this.newest, sequence);
  }

  /** Everything made so far is outdated, by more than any bound. */
  forget(): void {
    this.generation += 1;
    this.#projects.clear();
    this.#tags = 0;
    this.#floor = 0;
    this.newest = 0;
  }

  #outdate(before: number): void {
    this.#floor = before;
    // What was checked before has to be checked again.
    for (const versions of this.#projects.values()) versions.changes += 1;
  }

  of(project: string): ProjectVersions {
    let versions = this.#projects.get(project);
    if (versions === undefined) {
      versions = new ProjectVersions();
      this.#projects.set(project, versions);
    }
    return versions;
  }

  /** The common hit is one comparison. */
  isFresh(answer: Versioned): boolean {
    if (answer.generation !== this.generation) return false;
    return answer.checked === answer.versions.changes || this.staleSince(answer) === FRESH;
  }

  /** Time of the monotonic clock, FRESH or LONG_AGO. */
  staleSince(answer: Versioned): number {
    const { versions, tags, sequence } = answer;
    if (answer.generation !== this.generation || sequence < this.#floor) return LONG_AGO;
    const since = versions.staleSince(tags, sequence);
    if (since === FRESH) answer.checked = versions.changes;
    return since;
  }
}
