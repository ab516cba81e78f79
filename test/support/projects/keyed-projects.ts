/** Projects in every state, each with keys of every kind and age. */
import { createKey, regenerateKey, regenerateManagementKey } from '../../../core/access/keys.ts';
import {
  archiveProject,
  createManagementKey,
  createProject,
  setManagementApi,
  setSecureAccess,
} from '../../../core/access/projects.ts';
import { createUser } from '../../../core/access/users.ts';
import type { RunningService } from '../service/start-service.ts';

export const KEY_NAMES = [
  'delivery-primary',
  'delivery-secondary',
  'delivery-replaced',
  'preview-primary',
  'preview-secondary',
  'preview-replaced',
  'management',
  'management-replaced',
  'management-expired',
] as const;
export type KeyName = (typeof KEY_NAMES)[number];

export interface KeyedProject {
  readonly id: string;
  readonly keys: Readonly<Record<KeyName, string>>;
}

export interface KeyedProjects {
  /** Secure access off; its delivery keys are from when it was on. */
  readonly open: KeyedProject;
  /** Secure access on. */
  readonly secured: KeyedProject;
  /** Like `secured`, for keys of another project. */
  readonly other: KeyedProject;
  /** The management API was turned off again. */
  readonly unmanaged: KeyedProject;
  readonly archived: KeyedProject;
}

const LONG_AGO = '2001-01-01T00:00:00.000Z';

export async function keyedProjects({ operations }: RunningService['core']): Promise<KeyedProjects> {
  const make = async (name: string): Promise<KeyedProject> =>
    operations.installation(null, async (to) => {
      const { id, number, keys: first } = await createProject(to, { name });
      const person = {
        name,
        email: `${name}@example.org`,
        projects: [{ id, capabilities: ['manage-apis'] }],
      };
      const { id: user } = await createUser(to, person);
      const access = await setSecureAccess(to, id, true);
      const delivery = await regenerateKey(to, id, 'delivery-primary');
      const preview = await regenerateKey(to, id, 'preview-primary');
      const replaced = await createManagementKey(to, id, user);
      const management = await regenerateManagementKey(to, id, replaced.id);
      const expired = await createKey(to, { number, id }, { kind: 'management', user });
      await to.tx.run('UPDATE api_key SET expires = ? WHERE id = ?', [LONG_AGO, expired.id]);
      return {
        id,
        keys: {
          'delivery-primary': delivery.key,
          'delivery-secondary': access.secondary!,
          'delivery-replaced': access.primary!,
          'preview-primary': preview.key,
          'preview-secondary': first['preview-secondary'],
          'preview-replaced': first['preview-primary'],
          management: management.key,
          'management-replaced': replaced.key,
          'management-expired': expired.key,
        },
      };
    });
  const projects = {
    open: await make('open'),
    secured: await make('secured'),
    other: await make('other'),
    unmanaged: await make('unmanaged'),
    archived: await make('archived'),
  };
  await operations.installation(null, async (to) => {
    await setSecureAccess(to, projects.open.id, false);
    await setManagementApi(to, projects.unmanaged.id, false);
    await archiveProject(to, projects.archived.id);
  });
  return projects;
}
