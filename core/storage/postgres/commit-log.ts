import type { LogPart } from '../commit-delivery.ts';
import type { ChangeEntry, CommittedChanges } from '../ports.ts';
import { type DatabaseClock, SERVER_TIME } from './database-clock.ts';

/** One row for each change after a position, at least one; all have the state of the installation. */
export interface LogRow {
  readonly newest: number;
  readonly epoch: string;
  /** Of the data; see `renewEpoch`. */
  readonly timeline: string | null;
  /** The clock of the database, milliseconds since 1970. */
  readonly clock: number;
  /** Null in the only row where nothing changed. */
  readonly sequence: number | null;
  readonly project: number | null;
  readonly project_id: string | null;
  readonly type: string;
  readonly operation: string;
  readonly object: string;
  readonly tags: string;
  readonly actor: string | null;
  readonly at: string;
  /** 1 = the project has events for webhooks of this sequence. */
  readonly announced: number;
}

/**
 * @param after a number or a placeholder
 * @param upTo the same
 * @returns the statement that reads the change log between them, and the newest commit, in one snapshot
 */
export function readLogSql(after: number | '?', upTo: number | '?'): string {
  return `SELECT i.sequence AS newest, i.epoch, i.timeline, ${SERVER_TIME} AS clock,
      c.sequence, c.project, p.id AS project_id, c.type, c.operation, c.object, c.tags, c.actor, c.at,
      EXISTS (SELECT 1 FROM webhook_event e WHERE e.project = c.project AND e.number >= c.sequence * 1000
        AND e.number < (c.sequence + 1) * 1000) AS announced
    FROM installation i LEFT JOIN change c ON c.sequence > ${after} AND c.sequence <= ${upTo}
      LEFT JOIN project p ON p.number = c.project
    WHERE i.id = 1 ORDER BY c.sequence, c.part`;
}

/** Makes commits of what was read, and sets the clock by it. */
export class CommitLog {
  readonly #clock: DatabaseClock;
  readonly #now: () => Date;

  /** @param now the clock that the times in the log are from */
  constructor(clock: DatabaseClock, now: () => Date) {
    this.#clock = clock;
    this.#now = now;
  }

  /** @param began when the rows were requested; they have just arrived */
  part(rows: readonly LogRow[], upTo: number, began: number): LogPart {
    const [first] = rows;
    if (first === undefined) throw new Error('no installation row');
    const { newest: sequence, epoch, clock } = first;
    this.#clock.observe(clock, began);
    return { sequence, epoch, upTo, commits: commitsOf(rows, this.#now()) };
  }
}

function commitsOf(rows: readonly LogRow[], now: Date): CommittedChanges[] {
  const offset = performance.now() - now.getTime();
  const commits: (CommittedChanges & { entries: ChangeEntry[]; announced: number[] })[] = [];
  for (const row of rows) {
    const { sequence, epoch, project, project_id: projectId, type, operation, object, actor } = row;
    if (sequence === null) break;
    let commit = commits.at(-1);
    if (commit?.sequence !== sequence) {
      const time = Math.min(performance.now(), Date.parse(row.at) + offset);
      commit = { sequence, epoch, time, entries: [], announced: [] };
      commits.push(commit);
    }
    commit.entries.push({ project, projectId, type, operation, object, tags: JSON.parse(row.tags), actor });
    if (row.announced === 1 && project !== null && !commit.announced.includes(project))
      commit.announced.push(project);
  }
  return commits;
}
