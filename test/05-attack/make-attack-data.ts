/** Fills a data folder with the attacked project and another one, in a process of its own. */
import type * as Projects from '../../core/access/projects.ts';
import type * as Users from '../../core/access/users.ts';
import type * as Assets from '../../core/assets/assets.ts';
import type * as Files from '../../core/assets/files.ts';
import type * as CreateCore from '../../core/compose/create-core.ts';
import type * as Generate from '../../core/generate/generate.ts';
import { answerParent } from '../bench/answer-parent.ts';
import { built } from '../bench/built.ts';
import { tilesImage } from '../support/images/test-images.ts';
import { ERRORS_PRINTED, VENDOR } from '../support/service/core-settings.ts';
import type { Target } from './hostile-requests.ts';

export interface AttackDataOrder {
  readonly folder: string;
  /** Items of the attacked project and of the other one. */
  readonly items: readonly [number, number];
}

export interface AttackDataReply {
  readonly attacked: Target;
  readonly others: Target;
}

const LANGUAGES = 2;

answerParent(async ({ folder, items }: AttackDataOrder): Promise<AttackDataReply> => {
  const { createCore } = await built<typeof CreateCore>('core/compose/create-core');
  const { generate } = await built<typeof Generate>('core/generate/generate');
  const { createProject, createManagementKey } = await built<typeof Projects>('core/access/projects');
  const { createUser } = await built<typeof Users>('core/access/users');
  const { createAsset } = await built<typeof Assets>('core/assets/assets');
  const { addFile, receiveFile } = await built<typeof Files>('core/assets/files');
  const core = await createCore({
    dataDir: folder,
    vendor: VENDOR,
    log: ERRORS_PRINTED,
  });
  const { operations } = core;
  async function make(name: string, count: number): Promise<Target> {
    const made = await operations.installation(null, async (to) => {
      const { id, keys } = await createProject(to, { name });
      const user = await createUser(to, {
        name,
        email: `${name}@example.org`,
        projects: [{ id, capabilities: ['manage-apis'] }],
      });
      const { key } = await createManagementKey(to, id, user.id);
      return { project: id, previewKey: keys['preview-primary'], managementKey: key };
    });
    await generate(operations, { project: made.project, items: count, languages: LANGUAGES });
    const png = await tilesImage(100, 75).png().toBuffer();
    const jpeg = await tilesImage(60, 60).jpeg().toBuffer();
    const images: string[] = [];
    for (const [file, type, bytes] of [
      ['large.png', 'image/png', png],
      ['small.jpg', 'image/jpeg', jpeg],
    ] as const) {
      const content = await receiveFile(operations.blobs, bytes);
      await operations.inProject(made.project, null, async (transaction) => {
        const { id } = await addFile(transaction, { name: file, type, content });
        await createAsset(transaction, { file: id });
        images.push(`/assets/${made.project}/${id}/${file}`);
      });
    }
    return { ...made, items: count, images };
  }
  try {
    return { attacked: await make('attacked', items[0]), others: await make('others', items[1]) };
  } finally {
    await core.close();
  }
});
