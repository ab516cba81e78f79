import type { Sql } from '../storage/sql.ts';
import { timestamp } from '../storage/timestamp.ts';
import type { Installation } from '../transaction/installation.ts';

/** A person counts as present for so long after the last report. */
const PRESENT_MS = 45_000;
/** Listed at a time. */
const MOST = 200;
/** Of one person: those reported last. */
const MOST_TABS = 20;

/** Who has a variant open at the console, and in which element. Informative only. */
export interface Presence {
  /** Names a tab of a browser. */
  readonly tab: string;
  readonly person: { readonly id: string; readonly name: string };
  readonly project: string;
  readonly item: string;
  readonly language: string;
  readonly element: string | null;
  /** Codenames of the type of the item and of the language, where they exist. */
  readonly content: { readonly type: string | null; readonly language: string | null };
}

/**
 * In a table: cores and gateways share nothing else that reaches all of them in every topology. It changes no content, so
 * the commits take no sequence.
 */
export async function reportPresence(
  { tx }: Pick<Installation, 'tx'>,
  account: string,
  { tab, project, item, language, element }: Omit<Presence, 'person' | 'content'>,
): Promise<void> {
  await tx.run('DELETE FROM presence WHERE seen < ?', [longAgo(tx.now)]);
  await tx.upsert(
    'presence',
    'tab',
    ['tab', 'account', 'project', 'item', 'language', 'element', 'seen'],
    [[`${account}/${tab}`, account, project, item, language, element, tx.now]],
  );
  await tx.run(
    `DELETE FROM presence WHERE account = ? AND tab NOT IN
       (SELECT tab FROM presence WHERE account = ? ORDER BY seen DESC, tab LIMIT ${MOST_TABS})`,
    [account, account],
  );
}

export async function endPresence(
  { tx }: Pick<Installation, 'tx'>,
  account: string,
  tab: string,
): Promise<void> {
  await tx.run('DELETE FROM presence WHERE tab = ?', [`${account}/${tab}`]);
}

interface PresenceRow extends Omit<Presence, 'person' | 'content'> {
  readonly account: string;
  readonly name: string;
  readonly content_type: string | null;
  readonly content_language: string | null;
}

export async function listPresence(sql: Sql, now: Date): Promise<Presence[]> {
  const rows = await sql.all<PresenceRow>(
    `SELECT r.tab AS tab, r.account AS account, a.name AS name, r.project AS project, r.item AS item,
       r.language AS language, r.element AS element, t.codename AS content_type, l.codename AS content_language
     FROM presence r JOIN account a ON a.id = r.account LEFT JOIN project p ON p.id = r.project
       LEFT JOIN item i ON i.project = p.number AND i.id = r.item LEFT JOIN content_type t ON t.number = i.type
       LEFT JOIN language l ON l.project = p.number AND l.id = r.language
     WHERE r.seen >= ? AND a.removed IS NULL ORDER BY r.seen DESC, r.tab LIMIT ${MOST}`,
    [longAgo(now.toISOString())],
  );
  return rows.map(({ account, name, tab, content_type: type, content_language: language, ...row }) => ({
    ...row,
    tab: tab.slice(account.length + 1),
    person: { id: account, name },
    content: { type, language },
  }));
}

function longAgo(now: string): string {
  return timestamp(Date.parse(now) - PRESENT_MS);
}
