import { readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createProject, type NewProject } from '../access/projects.ts';
import { createAsset } from '../assets/assets.ts';
import { addFile, receiveFile } from '../assets/files.ts';
import { createItem } from '../content/items.ts';
import { createLanguage } from '../content/languages.ts';
import { replaceSitemap } from '../content/sitemap.ts';
import { createSnippet } from '../content/snippets.ts';
import { createTaxonomy } from '../content/taxonomies.ts';
import { createType } from '../content/types.ts';
import { upsertVariant } from '../content/variants.ts';
import { newVersion, publishVariant } from '../publishing/publish.ts';
import type { Blobs } from '../storage/blobs/blobs.ts';
import { Busy } from '../storage/read-scope.ts';
import type { Sql } from '../storage/sql.ts';
import type { Operations } from '../transaction/operations.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import { readSample, readSampleModel, type Sample, type SampleItem } from './sample-files.ts';
import { kindsOf, type SampleKinds, toElementInputs } from './to-element-inputs.ts';

export interface LoadedSample {
  readonly projectId: string;
  /** Shown only once; undefined if the project existed. */
  readonly keys: NewProject['keys'] | undefined;
}

const MOST_WAIT_MS = 60_000;
const WAIT_MS = 200;

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.jpg': 'image/jpeg',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.gif': 'image/gif',
  '.txt': 'text/plain',
  '.gpx': 'application/gpx+xml',
};

/**
 * Creates the sample project with the ordinary operations, once per installation: not again where it was archived or
 * replaced by a restore. Completes it after an interrupted start. Several cores may start at the same time.
 * @param keep stores the keys of the new project before they are valid, so that an interrupted start does not lose them
 */
export async function loadSample(
  operations: Operations,
  keep: (made: NewProject) => Promise<void> = async () => {},
): Promise<LoadedSample> {
  const { sql } = operations.storage;
  const installation = await sql.get<{ sample: string | null }>('SELECT sample FROM installation');
  if (installation?.sample) return { projectId: installation.sample, keys: undefined };
  const { project } = await readSampleModel();
  const { id } = project;
  const made = (await stateOf(sql, id))
    ? undefined
    : await onceWritable(() =>
        operations.installation(null, async (to) => {
          if (await stateOf(to.tx, id)) return undefined;
          const created = await createProject(to, project);
          await keep(created);
          return created;
        }),
      );
  const sample = await readSample();
  await onceWritable(() =>
    operations.inProject(
      id,
      null,
      async (transaction) => {
        const { tx } = transaction;
        if ((await stateOf(tx, id)) === 'empty') {
          await loadModel(transaction, sample);
          await loadAssets(transaction, sample, operations.blobs);
          await loadItems(transaction, sample);
        }
        await tx.run('UPDATE installation SET sample = ?', [id]);
      },
      { archived: true },
    ),
  );
  return { projectId: id, keys: made?.keys };
}

/** Another core that loads the sample may write for longer than a transaction waits. */
async function onceWritable<T>(write: () => Promise<T>): Promise<T> {
  for (const ends = performance.now() + MOST_WAIT_MS; ; await pause(WAIT_MS)) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof Busy) || performance.now() > ends) throw error;
    }
  }
}

/** Undefined where there is no project; an interrupted start leaves an empty one. */
async function stateOf(sql: Sql, id: string): Promise<'empty' | 'used' | undefined> {
  const found = await sql.get<{ archived: string | null; type: number | null }>(
    `SELECT p.archived, t.number AS type FROM project p LEFT JOIN content_type t ON t.project = p.number
     WHERE p.id = ? LIMIT 1`,
    [id],
  );
  if (!found) return undefined;
  return found.archived === null && found.type === null ? 'empty' : 'used';
}

/** Codenames serve as external ids, so that the sample has the same ids in every installation. */
async function loadModel(
  transaction: ProjectTransaction,
  { model, taxonomies, sitemap }: Sample,
): Promise<void> {
  for (const language of model.languages) {
    await createLanguage(transaction, { external_id: language.codename, ...language });
  }
  for (const group of taxonomies) await createTaxonomy(transaction, withExternalId(group));
  for (const snippet of model.snippets) await createSnippet(transaction, withExternalId(snippet));
  for (const type of model.types) await createType(transaction, withExternalId(type));
  await replaceSitemap(transaction, sitemap);
}

async function loadAssets(
  transaction: ProjectTransaction,
  { folder, assets }: Sample,
  blobs: Blobs,
): Promise<void> {
  const contents = await Promise.all(
    assets.map(async ({ file }) => receiveFile(blobs, await readFile(join(folder, file)))),
  );
  for (const [index, asset] of assets.entries()) {
    const type = MEDIA_TYPES[extname(asset.file)];
    const content = contents[index];
    if (!type || !content) throw new Error(`The sample's file '${asset.file}' has no known media type.`);
    const file = await addFile(transaction, { name: basename(asset.file), type, content });
    await createAsset(transaction, {
      file: file.id,
      external_id: asset.external_id,
      title: asset.title ?? null,
      descriptions: Object.entries(asset.descriptions ?? {}).map(([language, description]) => ({
        language: { codename: language },
        description,
      })),
    });
  }
}

/** Creates all items before their content, because links may be circular. */
async function loadItems(transaction: ProjectTransaction, { model, items }: Sample): Promise<void> {
  const kinds = kindsOf(model);
  for (const item of items) {
    await createItem(transaction, {
      name: item.name,
      codename: item.codename,
      external_id: item.codename,
      type: { codename: item.type },
      sitemap_locations: item.sitemap.map((codename) => ({ codename })),
    });
  }
  for (const item of items) await loadVariants(transaction, kinds, item);
}

async function loadVariants(
  transaction: ProjectTransaction,
  kinds: SampleKinds,
  item: SampleItem,
): Promise<void> {
  const reference = { codename: item.codename };
  for (const [codename, own] of Object.entries(item.languages)) {
    const language = { codename };
    const values = { ...item.shared, ...own };
    await upsertVariant(transaction, reference, language, {
      elements: toElementInputs(kinds, item.type, values),
    });
    if (item.drafts?.includes(codename)) continue;
    await publishVariant(transaction, reference, language);
    const changes = item.changed?.[codename];
    if (!changes) continue;
    await newVersion(transaction, reference, language);
    await upsertVariant(transaction, reference, language, {
      elements: toElementInputs(kinds, item.type, changes),
    });
  }
}

function withExternalId<T extends { readonly codename?: string }>(input: T): T & { external_id?: string } {
  return input.codename === undefined ? input : { external_id: input.codename, ...input };
}
