import { createHash } from 'node:crypto';
import { isSameSecret } from '../../config/is-same-secret.ts';
import { keysTag, keyTag } from '../changes/tags.ts';
import { ServiceError } from '../errors.ts';
import type { Sql } from '../storage/sql.ts';
import { type Installation, type ProjectRow, projectRow } from '../transaction/installation.ts';
import type { OperationOptions } from '../transaction/project-transaction.ts';
import type { KeyKind, KeySlot } from './key-kinds.ts';
import type { KeyUse } from './key-use.ts';
import { tokenHash } from './token-hash.ts';

export interface KeyFacts {
  readonly id: string;
  readonly project: string;
  readonly kind: KeyKind;
  readonly user: string | null;
  /** ISO time, null = never. */
  readonly expires: string | null;
  readonly revoked: boolean;
}

/** Spec section 8. */
const MANAGEMENT_KEY_DAYS = 4000;
const DAY = 86_400_000;

export interface NewKey {
  readonly id: string;
  /** Shown only once; the table holds its hash. */
  readonly key: string;
  readonly created: string;
  readonly expires: string | null;
}

/**
 * Finds a key, also a revoked or expired one and those of archived projects.
 * @param hash see `tokenHash`
 */
export async function findKey(sql: Sql, hash: string): Promise<KeyFacts | undefined> {
  const row = await sql.get<{
    hash: string;
    id: string;
    project: string;
    kind: KeyKind;
    account: string | null;
    expires: string | null;
    revoked: string | null;
  }>(
    `SELECT k.hash, k.id, p.id AS project, k.kind, k.account, k.expires, k.revoked
     FROM api_key k JOIN project p ON p.number = k.project WHERE k.hash = ?`,
    [hash],
  );
  // Compares hashes, which a caller cannot choose; the index has compared them before.
  if (!row || !isSameSecret(row.hash, hash)) return undefined;
  return {
    id: row.id,
    project: row.project,
    kind: row.kind,
    user: row.account,
    expires: row.expires,
    revoked: row.revoked !== null,
  };
}

/** Creates a key. Management keys belong to a user and expire after 4000 days by default. */
export async function createKey(
  { tx, actor, options }: Installation,
  project: Pick<ProjectRow, 'number' | 'id'>,
  input: { readonly kind: KeyKind; readonly user?: string | null; readonly expiresInDays?: number },
): Promise<NewKey> {
  const id = options.newId();
  const key = newToken(options);
  const days = input.expiresInDays ?? (input.kind === 'management' ? MANAGEMENT_KEY_DAYS : null);
  const expires = days === null ? null : new Date(Date.parse(tx.now) + days * DAY).toISOString();
  await tx.insert(
    'api_key',
    ['id', 'project', 'kind', 'hash', 'tail', 'account', 'created', 'expires'],
    [[id, project.number, input.kind, tokenHash(key), key.slice(-4), input.user ?? null, tx.now, expires]],
  );
  tx.change({
    project: project.number,
    projectId: project.id,
    type: 'key',
    operation: 'create',
    object: id,
    tags: [keyTag(id), keysTag(project.id)],
    actor,
  });
  return { id, key, created: tx.now, expires };
}

/** Replaces the key of a slot; the commit revokes the old one. */
export async function regenerateKey(
  installation: Installation,
  projectId: string,
  slot: KeySlot,
): Promise<NewKey & { readonly slot: KeySlot }> {
  const project = await projectRow(installation.tx, projectId);
  await revokeSlot(installation, project, slot);
  return { slot, ...(await createKey(installation, project, { kind: slot })) };
}

/**
 * Replaces a management key by a new one of the same user; the commit revokes the old one (spec 3).
 * @throws objectNotFound for an unknown or revoked key, conflict for an expired one
 */
export async function regenerateManagementKey(
  installation: Installation,
  projectId: string,
  keyId: string,
  expiresInDays?: number,
): Promise<NewKey & { readonly user: string }> {
  const { tx } = installation;
  const project = await projectRow(tx, projectId);
  const old = await tx.get<{ account: string; expires: string | null }>(
    `SELECT account, expires FROM api_key
     WHERE project = ? AND id = ? AND kind = 'management' AND revoked IS NULL`,
    [project.number, keyId],
  );
  if (!old) throw noSuchKey(keyId);
  if (old.expires !== null && Date.parse(old.expires) <= Date.parse(tx.now))
    throw new ServiceError('conflict', `The key with the id '${keyId}' has expired; create a new one.`);
  await revokeKey(installation, projectId, keyId);
  const key = await createKey(installation, project, {
    kind: 'management',
    user: old.account,
    ...(expiresInDays !== undefined && { expiresInDays }),
  });
  return { ...key, user: old.account };
}

/** @throws objectNotFound for an unknown or revoked key */
export async function revokeKey(installation: Installation, projectId: string, keyId: string): Promise<void> {
  const project = await projectRow(installation.tx, projectId);
  const changed = await installation.tx.runCounted(
    `UPDATE api_key SET revoked = ? WHERE project = ? AND id = ? AND kind = 'management' AND revoked IS NULL`,
    [installation.tx.now, project.number, keyId],
  );
  if (changed === 0) throw noSuchKey(keyId);
  recordRevoked(installation, project, keyId);
}

function noSuchKey(id: string): ServiceError {
  return new ServiceError('objectNotFound', `There is no active management key with the id '${id}'.`);
}

/** Revokes the valid key of a slot, if any. */
export async function revokeSlot(
  installation: Installation,
  project: Pick<ProjectRow, 'number' | 'id'>,
  slot: KeySlot,
): Promise<void> {
  const valid = await installation.tx.all<{ id: string }>(
    'SELECT id FROM api_key WHERE project = ? AND kind = ? AND revoked IS NULL',
    [project.number, slot],
  );
  if (valid.length === 0) return;
  await installation.tx.run(
    'UPDATE api_key SET revoked = ? WHERE project = ? AND kind = ? AND revoked IS NULL',
    [installation.tx.now, project.number, slot],
  );
  for (const { id } of valid) recordRevoked(installation, project, id);
}

export interface KeyListing {
  readonly id: string;
  readonly kind: KeyKind;
  /** Null for a management key. */
  readonly slot: KeySlot | null;
  readonly user: string | null;
  readonly user_name: string | null;
  /** Last characters, which identify the key. */
  readonly tail: string;
  readonly created: string;
  readonly expires: string | null;
  readonly last_used: string | null;
}

const LISTED = `SELECT k.id AS id, k.kind AS kind, CASE WHEN k.kind <> 'management' THEN k.kind END AS slot,
    k.account AS "user", a.name AS user_name, k.tail AS tail,
    k.created AS created, k.expires AS expires, k.last_used AS last_used
  FROM api_key k LEFT JOIN account a ON a.id = k.account`;

/**
 * Lists the unrevoked keys, oldest first, without their tokens.
 * @param use uses that are not written yet
 */
export async function listKeys(
  sql: Sql,
  projectId: string,
  use?: Pick<KeyUse, 'pending'>,
): Promise<KeyListing[]> {
  const project = await projectRow(sql, projectId);
  const rows = await sql.all<KeyListing>(
    `${LISTED} WHERE k.project = ? AND k.revoked IS NULL ORDER BY k.created, k.kind`,
    [project.number],
  );
  return rows.map((row) => ({ ...row, last_used: use?.pending(row.id) ?? row.last_used }));
}

/** Management keys that expire until a time, also those that have, the first one first. */
export function expiringKeys(sql: Sql, project: number, until: string, limit: number): Promise<KeyListing[]> {
  return sql.all<KeyListing>(
    `${LISTED} WHERE k.project = ? AND k.revoked IS NULL AND k.expires IS NOT NULL AND k.expires <= ?
     ORDER BY k.expires, k.id LIMIT ?`,
    [project, until, limit],
  );
}

function recordRevoked(
  { tx, actor }: Installation,
  project: Pick<ProjectRow, 'number' | 'id'>,
  id: string,
): void {
  tx.change({
    project: project.number,
    projectId: project.id,
    type: 'key',
    operation: 'delete',
    object: id,
    tags: [keyTag(id)],
    actor,
  });
}

/** 43 characters of base64url; the generated ids are the one source of randomness, two of them carry 244 bits. */
function newToken(options: OperationOptions): string {
  return createHash('sha256').update(options.newId()).update(options.newId()).digest('base64url');
}
