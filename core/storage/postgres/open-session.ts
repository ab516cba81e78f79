import { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { isLost } from './database-error.ts';
import { RESULT_TYPES } from './result-types.ts';
import { READ_TIMELINE, type Timeline } from './timeline.ts';

/** The server resets its statistics when it recovers from a crash. */
export const RECOVERED = '(SELECT stats_reset::text FROM pg_stat_archiver) AS recovered';
const WRITABLE = `SELECT pg_backend_pid() AS pid, ${RECOVERED},
  pg_is_in_recovery() AS is_standby, current_setting('transaction_read_only') = 'off' AS is_writable`;

/** Time of a session to end by itself. */
const END_MS = 1000;

export interface SessionOptions {
  /** How the server lists its sessions, unless the URL has `application_name`; `headwater` by default. */
  readonly application?: string | undefined;
  /** Statements at the start of a session. */
  readonly session: string;
  /** Called for each notification of the channels that the session listens to. */
  readonly onNotification?: ((notification: pg.Notification) => void) | undefined;
}

export interface Session {
  readonly client: pg.Client;
  readonly socket: Socket;
  readonly url: string;
  /** Number of the server's process. */
  readonly pid: number;
  /** The server's last crash recovery, or its first start. */
  readonly recovered: string;
  readonly isStandby: boolean;
  /** False for a standby, and for a primary that was made read-only. */
  readonly isWritable: boolean;
  /** Of a server that accepts writes; null = it does not reveal it. */
  readonly timeline: Timeline | null;
}

/**
 * @param milliseconds longest time until it can be used
 * @param signal ends the attempt
 * @throws what the driver throws
 */
export async function openSession(
  url: string,
  { application = 'headwater', session, onNotification }: SessionOptions,
  milliseconds: number,
  signal?: AbortSignal,
): Promise<Session> {
  // Not loaded where the data are in SQLite.
  const { default: driver } = await import('pg');
  signal?.throwIfAborted();
  const socket = new Socket();
  const client = new driver.Client({
    stream: () => socket,
    connectionString: url,
    application_name: application,
    keepAlive: true,
    types: RESULT_TYPES,
    pipeline: true,
  });
  // An error of the socket while no statement runs.
  client.on('error', () => {});
  const end = () => socket.destroy(signal?.reason);
  signal?.addEventListener('abort', end);
  const late = () => socket.destroy(timedOut(`There was no session after ${milliseconds} ms.`));
  const timer = setTimeout(late, milliseconds);
  if (onNotification) client.on('notification', onNotification);
  try {
    await client.connect();
    // First, because the statements of the session may make it read-only.
    const [result] = [await client.query(`${WRITABLE}; ${session}`)].flat();
    const { pid, recovered, is_standby: isStandby, is_writable: isWritable } = result?.rows[0] ?? {};
    const timeline = isWritable === 1 ? await readTimeline(client) : null;
    return {
      client,
      socket,
      url,
      pid,
      recovered,
      isStandby: isStandby === 1,
      isWritable: isWritable === 1,
      timeline,
    };
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
}

/** Ends a session, also one whose server does not answer. */
export async function endSession({ client, socket }: Pick<Session, 'client' | 'socket'>): Promise<void> {
  await Promise.race([client.end().catch(() => {}), pause(END_MS, undefined, { ref: false })]);
  socket.destroy();
}

export function timedOut(message: string): Error {
  return Object.assign(new Error(message), { code: 'ETIMEDOUT' });
}

/** Services that only resemble PostgreSQL lack the functions. */
async function readTimeline(client: pg.Client): Promise<Timeline | null> {
  try {
    const { rows } = await client.query(READ_TIMELINE);
    return rows[0] ?? null;
  } catch (error) {
    if (isLost(error)) throw error;
    return null;
  }
}
