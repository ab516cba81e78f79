import type { Storage } from '../../../core/storage/ports.ts';

/** Runs statements in one transaction. */
export async function runStatements(storage: Storage, ...statements: readonly string[]): Promise<void> {
  await storage.write(async (tx) => {
    for (const statement of statements) await tx.run(statement);
  });
}
