import { randomUUID } from 'node:crypto';
import { raiseSequences } from '../restored-data.ts';
import { timestamp } from '../timestamp.ts';
import type { PostgresConnection } from './connection.ts';
import { NOTIFY_COMMIT } from './follower.ts';
import { mayLackCommits, timelineText } from './timeline.ts';

/** What was done because the server may lack commits. */
export interface RenewedEpoch {
  /** Timeline of the data, and of the server. */
  readonly from: string | null;
  readonly to: string | null;
  /** The newest commit of the server, and the newest one that was seen. */
  readonly found: number;
  readonly seen: number;
  /** The new position. */
  readonly sequence: number;
}

interface Row {
  readonly sequence: number;
  readonly timeline: string | null;
}

/**
 * Gives the data a new epoch and a sequence above every one that was seen, where the server may lack commits: a promoted
 * standby need not have the last ones, and new ones would get the numbers of those that were lost. That nothing was lost
 * cannot be found out: a process that saw more may have ended.
 * @param seen the newest commit that any process is known to have seen
 * @param renewed is called where that was necessary, and no other process has done it; before the commit, whose answer may be lost
 */
export async function renewEpoch(
  connection: PostgresConnection,
  seen: number,
  now: Date,
  renewed: (renewed: RenewedEpoch) => void,
): Promise<void> {
  const read = async (lock = '') => {
    const row = await connection.get<Row>(`SELECT sequence, timeline FROM installation WHERE id = 1 ${lock}`);
    return row && mayLackCommits(row, connection.timeline, seen) ? row : undefined;
  };
  if (!(await read())) return;
  await connection.execute('BEGIN');
  try {
    const row = await read('FOR UPDATE');
    const done = row && (await renew(connection, row, seen, now));
    if (done) renewed(done);
    await connection.execute(`${NOTIFY_COMMIT}COMMIT`);
  } catch (error) {
    await connection.execute('ROLLBACK').catch(() => {});
    throw error;
  }
}

async function renew(
  connection: PostgresConnection,
  { sequence: found, timeline: from }: Row,
  seen: number,
  now: Date,
): Promise<RenewedEpoch | undefined> {
  const to = timelineText(connection.timeline);
  if (from === null && found >= seen) {
    await connection.run('UPDATE installation SET timeline = ?', [to]);
    return undefined;
  }
  const sequence = Math.max(found, seen) + 1;
  const epoch = randomUUID();
  await connection.run('UPDATE installation SET epoch = ?, timeline = ?', [epoch, to]);
  await raiseSequences(connection, sequence);
  // The change log has every number above those that were lost.
  await connection.run(
    `INSERT INTO change (sequence, part, type, operation, object, tags, at)
     VALUES (?, 0, 'installation', 'promote', ?, '[]', ?)`,
    [sequence, epoch, timestamp(now)],
  );
  return { from, to, found, seen, sequence };
}
