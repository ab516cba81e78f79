import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { createCore } from '../../core/compose/create-core.ts';

export const KEYS_FILE = 'first-run-keys.json';

/**
 * Loads the sample project where it is missing. Its keys can be read only now, so they go to a file that only the
 * service's user can read.
 *
 * @returns the id of the sample project
 */
export async function loadSampleOnce(
  operations: Awaited<ReturnType<typeof createCore>>['operations'],
  dataDir: string,
): Promise<string> {
  const { loadSample } = await import('../../core/sample/load-sample.ts');
  const { projectId, keys } = await loadSample(operations);
  if (keys !== undefined) {
    const text = `${JSON.stringify({ project_id: projectId, ...keys }, null, 2)}\n`;
    await writeFile(join(dataDir, KEYS_FILE), text, { mode: 0o600 });
  }
  return projectId;
}
