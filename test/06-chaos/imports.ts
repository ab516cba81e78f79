import { PassThrough } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import type { RunningCore } from '../../core/compose/create-core.ts';
import { createItem } from '../../core/content/items.ts';
import { upsertVariant } from '../../core/content/variants.ts';
import { exportProject } from '../../core/transfer/export-project.ts';
import type { Random } from '../support/random/random.ts';
import { until } from '../support/until.ts';
import { prepareProject } from './installation.ts';

/** More than one batch of an import. */
const ITEMS = 120;
const PAUSE_MS = 500;

export interface Import {
  /** Of the new project. */
  readonly id: string;
  readonly isAcknowledged: boolean;
}

/** @returns whether it was answered that the archive was imported */
export type ImportCall = (project: string, archive: Buffer) => Promise<boolean>;

/** Imports an archive as one project after the other. */
export async function importAgain(
  archive: Buffer,
  call: ImportCall,
  random: Random,
  isOver: () => boolean,
): Promise<Import[]> {
  const imports: Import[] = [];
  while (!isOver()) {
    const id = random.guid();
    imports.push({ id, isAcknowledged: await call(id, archive) });
    await setTimeout(PAUSE_MS);
  }
  return imports;
}

/** An archive of a project with items. */
export async function makeArchive(core: RunningCore): Promise<Buffer> {
  const { id } = await prepareProject(core, 'Imported');
  await core.operations.inProject(id, null, async (transaction) => {
    const language = { id: transaction.model.defaultLanguage.id };
    for (let number = 0; number < ITEMS; number += 1) {
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

/** An import exists completely, or not at all; one that was acknowledged exists. @returns the projects that exist */
export async function checkImports(
  { operations }: RunningCore,
  imports: readonly Import[],
): Promise<string[]> {
  const { sql } = operations.storage;
  // A process that has just started takes over the imports of ended ones after a moment.
  await until(async () => {
    const row = await sql.get<{ count: number }>(
      `SELECT count(*) AS count FROM job WHERE kind = 'import' AND state = 'running'`,
    );
    return row?.count === 0;
  });
  const complete: string[] = [];
  for (const { id, isAcknowledged } of imports) {
    const project = await sql.get<{ number: number; archived: string | null }>(
      'SELECT number, archived FROM project WHERE id = ?',
      [id],
    );
    if (!project && !isAcknowledged) continue;
    expect(project, `imported project ${id}`).to.include({ archived: null });
    const { count } = (await sql.get<{ count: number }>(
      'SELECT count(*) AS count FROM variant v JOIN item i ON i.number = v.item WHERE i.project = ?',
      [project!.number],
    ))!;
    expect(count, `items of the imported project ${id}`).to.equal(ITEMS);
    complete.push(id);
  }
  return complete;
}
