import { setSecureAccess } from '../../../core/access/projects.ts';
import type { RunningCore } from '../../../core/compose/create-core.ts';
import type { WrittenItem } from '../clients/writers.ts';
import { prepareProject, prepareWebhook } from './installation.ts';

const PROJECTS = 2;
const ITEMS_OF_PROJECT = 2;
const WEBHOOKS_OF_PROJECT = 2;

interface Keyed {
  readonly project: string;
  readonly key: string;
}

/** What the clients of a schedule use. */
export interface Prepared {
  readonly projects: { readonly id: string; readonly webhooks: readonly { id: string; path: string }[] }[];
  readonly items: readonly WrittenItem[];
  /** Management keys by project. */
  readonly keys: ReadonlyMap<string, string>;
  readonly images: Keyed;
  /** Project whose delivery key is replaced. */
  readonly replaced: string;
  readonly greedy: Keyed & { readonly keyId: string; readonly path: string };
}

/** Makes projects, items and webhooks; closes the core. */
export async function prepare(core: RunningCore, receiver: string): Promise<Prepared> {
  try {
    const projects: Prepared['projects'] = [];
    const items: WrittenItem[] = [];
    const keys = new Map<string, string>();
    for (let number = 0; number < PROJECTS; number += 1) {
      const { id, key } = await prepareProject(core, `Chaos${number}`);
      const paths = Array.from({ length: WEBHOOKS_OF_PROJECT }, (_, index) => `/${number}-${index}`);
      const webhooks: { id: string; path: string }[] = [];
      for (const path of paths) webhooks.push({ id: await prepareWebhook(core, id, receiver + path), path });
      projects.push({ id, webhooks });
      keys.set(id, key);
      for (let index = 0; index < ITEMS_OF_PROJECT; index += 1) {
        const externalId = `item-${number}-${index}`;
        const codename = `item_${number}_${index}`;
        items.push({ project: id, externalId, codename, id: '', publishes: [] });
      }
    }
    const { id: images, key } = await prepareProject(core, 'Images');
    const { id: replaced } = await prepareProject(core, 'Replaced');
    await core.operations.installation(null, (to) => setSecureAccess(to, replaced, true));
    const greedy = await prepareProject(core, 'Greedy');
    return {
      projects,
      items,
      keys,
      images: { project: images, key },
      replaced,
      greedy: {
        project: greedy.id,
        key: greedy.key,
        keyId: greedy.keyId,
        path: `/manage/v2/projects/${greedy.id}/languages`,
      },
    };
  } finally {
    await core.close();
  }
}
