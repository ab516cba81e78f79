import { mkdir } from 'node:fs/promises';
import { createManagementKey, createProject } from '../../../core/access/projects.ts';
import { createUser } from '../../../core/access/users.ts';
import type { RunningCore } from '../../../core/compose/create-core.ts';
import { createType } from '../../../core/content/types.ts';
import { addWebhook } from '../../../core/webhooks/registrations.ts';
import { openCore } from '../../support/service/open-core.ts';

/** Opens core without its processes; it sends no notifications. */
export async function openInstallation(dataDir: string, databaseUrl?: string): Promise<RunningCore> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  return openCore({
    dataDir,
    ...(databaseUrl && { databaseUrl }),
    // What is still queued stays there.
    webhooks: { allow: ['192.0.2.0/24'] },
  });
}

export interface PreparedProject {
  readonly id: string;
  /** Of the management API. */
  readonly key: string;
  readonly keyId: string;
  readonly previewKey: string;
}

/** Makes a project with the type `piece`. */
export async function prepareProject({ operations }: RunningCore, name: string): Promise<PreparedProject> {
  const project = await operations.installation(null, (to) => createProject(to, { name }));
  await operations.inProject(project.id, null, (transaction) =>
    createType(transaction, { name: 'Piece', elements: [{ type: 'text', name: 'Title' }] }),
  );
  const { key, id: keyId } = await operations.installation(null, async (to) => {
    const user = await createUser(to, {
      name,
      email: `${name.toLowerCase()}@example.com`,
      projects: [{ id: project.id, capabilities: ['manage-apis'] }],
    });
    return createManagementKey(to, project.id, user.id);
  });
  return { id: project.id, key, keyId, previewKey: project.keys['preview-primary'] };
}

/** @returns its id */
export async function prepareWebhook(
  { operations }: RunningCore,
  project: string,
  url: string,
): Promise<string> {
  const webhook = await operations.inProject(project, null, (transaction) =>
    addWebhook(transaction, { name: url.slice(-6), url, contentChanges: [], workflowSteps: [] }),
  );
  return webhook.id;
}
