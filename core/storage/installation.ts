import { hash, randomUUID } from 'node:crypto';
import type { CommitState } from './ports.ts';
import type { Sql } from './sql.ts';
import type { Writer } from './write-transaction.ts';

/** Makes the row of the installation at the first start. @returns its newest commit */
export async function installationState(
  writer: Sql & Pick<Writer, 'run'>,
  clock: () => Date,
): Promise<CommitState> {
  await writer.run(
    `INSERT INTO installation (id, epoch, sequence, created) VALUES (1, ?, 0, ?) ON CONFLICT (id) DO NOTHING`,
    [randomUUID(), clock().toISOString()],
  );
  const row = await writer.get<CommitState>('SELECT sequence, epoch FROM installation WHERE id = 1');
  if (!row) throw new Error('no installation row');
  return row;
}

/** Names the installation where it shares something with others: a restore of its own backups does not change it. */
export async function installationId(sql: Sql): Promise<string> {
  const row = await sql.get<{ created: string }>('SELECT created FROM installation WHERE id = 1');
  return hash('sha256', row?.created ?? '').slice(0, 32);
}
