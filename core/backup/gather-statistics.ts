import type { Storage } from '../storage/ports.ts';

/** Gathers the statistics of restored rows. They are complete without: a failure is only reported. */
export async function gatherStatistics(
  storage: Pick<Storage, 'gatherStatistics'>,
  warn: (text: string) => void = () => {},
): Promise<void> {
  await storage
    .gatherStatistics()
    .catch((error: unknown) =>
      warn(
        `The data is complete, but the statistics of the database could not be gathered: ${error instanceof Error ? error.message : error}. Queries may be slow until ANALYZE has run.`,
      ),
    );
}
