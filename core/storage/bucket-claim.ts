import { randomUUID } from 'node:crypto';
import type { Storage } from './ports.ts';
import type { Sql } from './sql.ts';

/** The id with which the installation claims a bucket; null before it used one. */
export async function readBucketClaim(sql: Pick<Sql, 'get'>): Promise<string | null> {
  const row = await sql.get<{ bucket_claim: string | null }>(
    'SELECT bucket_claim FROM installation WHERE id = 1',
  );
  return row?.bucket_claim ?? null;
}

/** The same; makes it for the first bucket. */
export async function bucketClaim(storage: Pick<Storage, 'sql' | 'write'>): Promise<string> {
  const existing = await readBucketClaim(storage.sql);
  if (existing !== null) return existing;
  await storage.write(async (tx) => {
    await tx.run('UPDATE installation SET bucket_claim = ? WHERE bucket_claim IS NULL', [randomUUID()]);
  });
  const made = await readBucketClaim(storage.sql);
  if (made === null) throw new Error('no installation row');
  return made;
}
