import type { CommitState } from './ports.ts';
import type { WriteTransaction } from './write-transaction.ts';

/** What the transactions of a group did. */
export interface Group {
  readonly state: CommitState;
  /** Of the writers that have begun. */
  readonly rejects: ((error: unknown) => void)[];
  readonly settled: (() => void)[];
  readonly committed: WriteTransaction[];
  readonly stamps: Map<number, number>;
  readonly kept: WriteTransaction[];
  /** The last transaction wrote something that the next one must not undo. */
  isUsed: boolean;
}

export function newGroup(state: CommitState): Group {
  return { state, rejects: [], settled: [], committed: [], stamps: new Map(), kept: [], isUsed: false };
}

export interface GroupMarks {
  /** Sequence of the last transaction that changed something; null = none did. */
  readonly sequence: number | null;
  /** Sequence by storage number of the project. */
  readonly stamps: ReadonlyMap<number, number>;
}

/** @returns statements that write the marks of a group, each with a semicolon */
export function markSql({ sequence, stamps }: GroupMarks): string {
  let text = '';
  for (const [project, stamp] of stamps)
    text += `UPDATE project SET sequence = ${stamp} WHERE number = ${project}; `;
  return sequence === null ? text : `${text}UPDATE installation SET sequence = ${sequence} WHERE id = 1; `;
}
