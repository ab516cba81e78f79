import type { Reader } from '../storage/ports.ts';
import { changesByProject, type ProjectChange } from './change-feed.ts';

/** One commit, as gateways get it. */
export interface FeedCommit {
  readonly sequence: number;
  readonly epoch: string;
  /** When it was committed: `performance.now()` of core. */
  readonly time: number;
  readonly changes: readonly ProjectChange[];
}

/** Commits of the change log, in order. */
export type ReadCommits = (after: number, upTo: number) => Promise<FeedCommit[]>;

interface ChangeRow {
  readonly epoch: string;
  readonly sequence: number;
  readonly project: string | null;
  readonly tags: string;
  readonly at: string;
}

/** @param now the clock that the log's times are from */
export function changeLog(reader: Reader, now: () => Date): ReadCommits {
  return async (after, upTo) => {
    const rows = await reader.sql.all<ChangeRow>(
      `SELECT i.epoch, c.sequence, p.id AS project, c.tags, c.at
       FROM change c JOIN installation i ON i.id = 1 LEFT JOIN project p ON p.number = c.project
       WHERE c.sequence > ? AND c.sequence <= ? ORDER BY c.sequence, c.part`,
      [after, upTo],
    );
    const offset = performance.now() - now().getTime();
    const commits: FeedCommit[] = [];
    for (let at = 0; at < rows.length; ) {
      const { epoch, sequence, at: committed } = rows[at]!;
      const entries: { projectId: string | null; tags: string[] }[] = [];
      for (; rows[at]?.sequence === sequence; at++) {
        const { project, tags } = rows[at]!;
        entries.push({ projectId: project, tags: JSON.parse(tags) });
      }
      commits.push({
        sequence,
        epoch,
        time: Date.parse(committed) + offset,
        changes: changesByProject({ entries }),
      });
    }
    return commits;
  };
}
