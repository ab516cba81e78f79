import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProjectFacts } from '../../core/access/projects.ts';
import type { createCore } from '../../core/compose/create-core.ts';
import type { Call, ServiceControls } from './command.ts';
import { signInUrl } from './sign-in-url.ts';

export const KEYS_FILE = 'first-run-keys.json';

/**
 * Loads the sample project into an installation that never had it. Its keys can be read only now, so they go to a file
 * that only the service's user can read.
 *
 * @returns the sample project; undefined where it was archived or replaced since
 */
export async function loadSampleOnce(
  operations: Awaited<ReturnType<typeof createCore>>['operations'],
  dataDir: string,
): Promise<ProjectFacts | undefined> {
  const { findProject } = await import('../../core/access/projects.ts');
  const { loadSample } = await import('../../core/sample/load-sample.ts');
  const { projectId } = await loadSample(operations, ({ id, keys }) =>
    writeFile(join(dataDir, KEYS_FILE), `${JSON.stringify({ project_id: id, ...keys }, null, 2)}\n`, {
      mode: 0o600,
      flush: true,
    }),
  );
  return findProject(operations.storage.sql, projectId);
}

/** While no user can sign in, prints a link that makes the first one. Only to a terminal: a log would keep it. */
export async function offerFirstSignIn(
  call: Call,
  service: ServiceControls,
  operations: Awaited<ReturnType<typeof createCore>>['operations'],
): Promise<void> {
  const { hasPeople } = await import('../../core/access/people.ts');
  if (await hasPeople(operations.storage.sql)) return;
  const { createLink, LINK_MINUTES } = await import('../../core/access/sign-in-links.ts');
  const token = await operations.installation(null, (to) => createLink(to, null));
  call.terminal.out(
    `To sign in, open this within ${LINK_MINUTES} minutes: ${await signInUrl({ ...call, service }, token)}`,
  );
  call.terminal.out('');
}
