import { PassThrough } from 'node:stream';
import type { RunningCore } from '../../../core/compose/create-core.ts';
import { createItem } from '../../../core/content/items.ts';
import { upsertVariant } from '../../../core/content/variants.ts';
import { exportProject } from '../../../core/transfer/export-project.ts';
import type { Random } from '../../support/random/random.ts';
import { prepareProject } from '../cluster/installation.ts';
import type { Requests } from './requests.ts';

/** More than one batch of an import. */
export const IMPORTED_ITEMS = 120;
const PAUSE_MS = 500;
/** Its writes wait one after another. */
const DEADLINE_MS = 60_000;

export interface Import {
  /** Of the new project. */
  readonly id: string;
  readonly isAcknowledged: boolean;
}

/** Imports an archive as one project after the other. */
export async function importAgain(
  archive: Buffer,
  requests: Requests,
  random: Random,
  isOver: () => boolean,
): Promise<Import[]> {
  const imports: Import[] = [];
  while (!isOver()) {
    const id = random.guid();
    const { answer } = await requests.sendAsAdmin(`/admin/projects/import?id=${id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-tar' },
      body: archive,
      deadline: DEADLINE_MS,
    });
    imports.push({ id, isAcknowledged: answer?.status === 201 });
    await requests.pause(PAUSE_MS);
  }
  return imports;
}

/** An archive of a project with items. */
export async function makeArchive(core: RunningCore): Promise<Buffer> {
  const { id } = await prepareProject(core, 'Imported');
  await core.operations.inProject(id, null, async (transaction) => {
    const language = { id: transaction.model.defaultLanguage.id };
    for (let number = 0; number < IMPORTED_ITEMS; number += 1) {
      const item = await createItem(transaction, { name: `Piece ${number}`, type: { codename: 'piece' } });
      const elements = [{ element: { codename: 'title' }, value: `${number}` }];
      await upsertVariant(transaction, { id: item.id }, language, { elements });
    }
  });
  const into = new PassThrough();
  const pieces: Buffer[] = [];
  into.on('data', (piece) => pieces.push(piece));
  const head = { archive: '0f0f0f0f-0000-4000-8000-000000000001', created: '2030-01-01T00:00:00.0000000Z' };
  await exportProject(core.operations, id, into, head);
  return Buffer.concat(pieces);
}
