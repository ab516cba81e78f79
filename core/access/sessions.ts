import { randomBytes } from 'node:crypto';
import { ServiceError } from '../errors.ts';
import type { Transaction } from '../storage/ports.ts';
import type { Sql } from '../storage/sql.ts';
import { timestamp } from '../storage/timestamp.ts';
import { type Installation, recordInstallationChange } from '../transaction/installation.ts';
import { tokenHash } from './token-hash.ts';

const HOUR = 3_600_000;
/** A session ends when it was not used for so long, and in any case after `LONGEST_MS`. */
export const IDLE_MS = 12 * HOUR;
export const LONGEST_MS = 14 * 24 * HOUR;
/** Acts on keys, people and projects need a sign-in or a confirmed password at most so old. */
const CONFIRMED_MS = HOUR / 4;
/** Of one person; each has limits of its own. */
const MOST_SESSIONS = 200;
/** The last use is written at most so often. */
export const SEEN_MS = HOUR / 12;

/** Who uses a session. */
export interface Person {
  readonly account: string;
  readonly name: string;
  readonly email: string;
  /** May do everything in the whole installation. */
  readonly isOperator: boolean;
  /** Id of the session. */
  readonly session: string;
  /** Signed in, or the password confirmed, within the last quarter of an hour. */
  readonly isConfirmed: boolean;
  /** The last use has to be written again. */
  readonly isSeenLate: boolean;
  /** Milliseconds until the session ends, unless it is used. */
  readonly endsInMs: number;
}

export interface SessionListing {
  readonly id: string;
  readonly created: string;
  readonly seen: string;
  readonly address: string | null;
  readonly browser: string | null;
}

export interface Client {
  /** Address of the client; null = unknown. */
  readonly address: string | null;
  /** Its `User-Agent`. */
  readonly browser: string | null;
}

/** @param user whose page calls, where it says so @throws unauthorized where that is another person */
export function requirePageOf({ account }: Person, user: string | undefined): void {
  if (user !== undefined && user !== account)
    throw new ServiceError('unauthorized', 'Another person has signed in in this browser since.');
}

interface Row {
  readonly id: string;
  readonly account: string;
  readonly name: string;
  readonly email: string;
  readonly operator: number;
  readonly created: string;
  readonly seen: string;
  readonly confirmed: string;
}

/**
 * @param hash see `tokenHash`
 * @returns undefined for an unknown or ended session
 */
export async function findPerson(sql: Sql, hash: string, now: Date): Promise<Person | undefined> {
  const row = await sql.get<Row>(
    `SELECT s.id AS id, s.account AS account, a.name AS name, a.email AS email, p.operator AS operator,
       s.created AS created, s.seen AS seen, s.confirmed AS confirmed
     FROM session s JOIN person p ON p.account = s.account JOIN account a ON a.id = s.account
     WHERE s.hash = ? AND a.removed IS NULL`,
    [hash],
  );
  if (!row) return undefined;
  const age = (time: string) => now.getTime() - Date.parse(time);
  if (age(row.created) >= LONGEST_MS || age(row.seen) >= IDLE_MS) return undefined;
  return {
    account: row.account,
    name: row.name,
    email: row.email,
    isOperator: row.operator === 1,
    session: row.id,
    isConfirmed: age(row.confirmed) < CONFIRMED_MS,
    isSeenLate: age(row.seen) >= SEEN_MS,
    endsInMs: Math.min(LONGEST_MS - age(row.created), IDLE_MS - age(row.seen)),
  };
}

/**
 * Starts a session; removes the ended ones of everybody, and those of the user that were used longest ago where there are too
 * many.
 * @param isConfirmed the person has proved just now who it is
 * @returns its secret, shown only here
 */
export async function startSession(
  { tx, options }: Installation,
  account: string,
  { address, browser }: Client,
  isConfirmed = true,
): Promise<string> {
  await tx.run('DELETE FROM session WHERE created < ? OR seen < ?', [
    before(tx.now, LONGEST_MS),
    before(tx.now, IDLE_MS),
  ]);
  const removed = await tx.runCounted(
    `DELETE FROM session WHERE account = ? AND id NOT IN
       (SELECT id FROM session WHERE account = ? ORDER BY seen DESC, created DESC, id LIMIT ${MOST_SESSIONS - 1})`,
    [account, account],
  );
  if (removed > 0) recordEnd(tx, account);
  const token = randomBytes(32).toString('base64url');
  const confirmed = isConfirmed ? tx.now : before(tx.now, CONFIRMED_MS);
  await tx.insert(
    'session',
    ['id', 'hash', 'account', 'created', 'seen', 'confirmed', 'address', 'browser'],
    [[options.newId(), tokenHash(token), account, tx.now, tx.now, confirmed, address, browser]],
  );
  return token;
}

export async function confirmSession({ tx }: Installation, id: string): Promise<void> {
  await tx.run('UPDATE session SET confirmed = ?, seen = ? WHERE id = ?', [tx.now, tx.now, id]);
}

export async function markSeen({ tx }: Pick<Installation, 'tx'>, id: string): Promise<void> {
  await tx.run('UPDATE session SET seen = ? WHERE id = ?', [tx.now, id]);
}

/** Newest first; those that have ended are left out. */
export function listSessions(sql: Sql, account: string, now: Date): Promise<SessionListing[]> {
  return sql.all<SessionListing>(
    `SELECT id, created, seen, address, browser FROM session
     WHERE account = ? AND created >= ? AND seen >= ? ORDER BY seen DESC, id`,
    [account, timestamp(now.getTime() - LONGEST_MS), timestamp(now.getTime() - IDLE_MS)],
  );
}

/** @throws objectNotFound where the user has no such session */
export async function endSession({ tx }: Installation, account: string, id: string): Promise<void> {
  const ended = await tx.runCounted('DELETE FROM session WHERE account = ? AND id = ?', [account, id]);
  if (ended === 0) throw new ServiceError('objectNotFound', `You have no session with the id '${id}'.`);
  recordEnd(tx, account);
}

/** Ends all sessions of a user, and the links that could begin others. @returns how many sessions there were */
export async function endSessions(
  { tx }: Pick<Installation, 'tx'>,
  account: string,
  except: string | null = null,
): Promise<number> {
  await tx.run('DELETE FROM sign_in_link WHERE account = ?', [account]);
  recordEnd(tx, account);
  return tx.runCounted('DELETE FROM session WHERE account = ? AND id <> ?', [account, except ?? '']);
}

/** In the change log, by which gateways end event streams. */
function recordEnd(tx: Transaction, account: string): void {
  recordInstallationChange(
    { tx, actor: account },
    { type: 'session', operation: 'end', object: account, tags: [] },
  );
}

function before(now: string, milliseconds: number): string {
  return timestamp(Date.parse(now) - milliseconds);
}
