import { randomUUID } from 'node:crypto';
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
