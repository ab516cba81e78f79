import { z } from 'zod';
import { type Asset, findAsset, readAssets, restoreAsset, updateAsset } from '../assets/assets.ts';
import { foldersBelow, loadFolders } from '../assets/folders.ts';
import { ASSET_ORDERS, type AssetFilter, type AssetPage } from '../content-list/asset-filter.ts';
import { countUnlistedAssets } from '../content-list/count-content.ts';
import { listAssets } from '../content-list/list-assets.ts';
import { ServiceError } from '../errors.ts';
import { arrayOf, closed, count, flag, id, orNull, schema, text, time } from '../http/openapi-shapes.ts';
import { bodyOf } from '../http/read-body.ts';
import { WHOLE } from '../http/route.ts';
import { ASSET_KINDS } from '../model/asset-kinds.ts';
import { assetPath } from '../model/asset-path.ts';
import type { ProjectModel } from '../model/model.ts';
import { type UsersOfAsset, usedAssets, usersOfAsset } from '../publishing/used-in.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import { type Answer, afterOf, type Call, change, isOn, knownValue, limitOf, ok } from './call.ts';
import { languageOf, offsetOf, partsOf } from './content-query.ts';
import { query, routesOf, shows, TRUE_OR_FALSE } from './route.ts';

const ASSET = 'projects/:project/assets/:asset';

const route = routesOf({ read: 'view-content', write: 'edit-content' });

const fileBody = z.strictObject({
  file_reference: z
    .strictObject({
      id: z.string().describe('Id of an uploaded file.'),
      type: z.literal('internal').optional(),
    })
    .describe('What the upload of the file has answered.'),
});

export const assetRoutes = [
  route('GET projects/:project/assets', {
    id: 'searchAssets',
    summary: 'List assets, in any order, from any position',
    description:
      'Filters are combined; values of one filter, separated by commas, are alternatives. Without `order` the newest come first, and `after` continues.',
    parameters: [
      query(
        'text',
        'Words of the title, the file name or a description, the last one perhaps incomplete, of names also parts of words; or the id of an asset.',
      ),
      query('kind', '`image`: only images.', { enum: ['image'] }),
      query('type', `Types of files: of ${ASSET_KINDS.join(', ')}.`),
      query('folder', 'Ids of folders, with the folders below them; the zero GUID: in no folder.'),
      query('unused', '`true`: no content refers to it.', TRUE_OR_FALSE),
      query('undescribed', 'Id or codename of a language in which it has no description.'),
      query('order', `One of ${ASSET_ORDERS.join(', ')}.`, { enum: [...ASSET_ORDERS] }),
      query('descending', '`true`: in the opposite order.', TRUE_OR_FALSE),
      query('offset', 'Assets before the page.', { type: 'integer', minimum: 0 }),
      query('after', 'In place of `order` and `offset`: the `next` of the page before.'),
      query('limit', 'Assets of the page.', { type: 'integer', minimum: 1, maximum: 100 }),
    ],
    answers: shows('AdminAssetPage'),
    handler: list,
  }),
  route(`GET ${ASSET}`, {
    id: 'getListedAsset',
    tagged: WHOLE,
    summary: 'Read an asset as lists show it',
    answers: shows('AdminAsset'),
    handler: (call) =>
      call.operations.read(call.at('project'), async (view) =>
        ok(await oneJson(call, view, await findAsset(view, { id: call.at('asset') }))),
      ),
  }),
  route(`GET ${ASSET}/users`, {
    id: 'countAssetUsers',
    summary: 'Count what refers to an asset',
    description: 'What a change of the asset would concern; `used-in` lists it.',
    answers: shows('AdminAssetUsers'),
    handler: ({ operations, at }) =>
      operations.read(at('project'), async (view) => ok(usersJson(await usersOfAsset(view, at('asset'))))),
  }),
  route(`PUT ${ASSET}/file`, {
    id: 'replaceAssetFile',
    summary: 'Give an asset another file',
    description:
      'The asset keeps its id, title and descriptions, and content that refers to it stays as it is; readers get the URL of the new file. The old URL shows the old file until the asset is deleted.',
    body: bodyOf(fileBody),
    answers: shows('AdminAsset'),
    handler: replaceFile,
  }),
  route(`POST ${ASSET}/restore`, {
    id: 'restoreAsset',
    summary: 'Restore a deleted asset',
    permission: 'delete-content',
    description: 'With the file that it had last; files before it stay deleted.',
    handler: (call) => change(call, (transaction) => restoreAsset(transaction, call.at('asset'))),
  }),
];

async function list(call: Call): Promise<Answer> {
  const { operations, at, query } = call;
  const page = pageOf(query);
  return operations.read(at('project'), async (view) => {
    const { assets: numbers, total } = await listAssets(view, await filterOf(query, view), {
      ...page,
      limit: page.limit + 1,
    });
    const shown = numbers.slice(0, page.limit);
    const last = page.isContinued && numbers.length > page.limit ? shown.at(-1) : undefined;
    const used = await usedAssets(view, shown);
    return ok({
      assets: (await readAssets(view, shown)).map((asset) => assetJson(call, view.model, asset, used)),
      total,
      unlisted: await countUnlistedAssets(view),
      pagination: { next: last === undefined ? null : String(last) },
    });
  });
}

async function replaceFile(call: Call): Promise<Answer> {
  const { operations, at } = call;
  const { file_reference: file } = await call.body(fileBody);
  return operations.inProject(at('project'), null, async (transaction) => {
    const asset = await updateAsset(transaction, { id: at('asset') }, { file: file.id });
    return ok(await oneJson(call, transaction, asset));
  });
}

function pageOf(query: URLSearchParams): AssetPage & { readonly isContinued: boolean } {
  const order = query.get('order') || undefined;
  const limit = limitOf(query);
  if (order === undefined && !query.get('offset')) {
    const [after] = afterOf(query, [0]);
    return {
      ...{ order: 'created', descending: true, offset: 0, limit, isContinued: true },
      ...(after > 0 && { after }),
    };
  }
  const known = ASSET_ORDERS.find((one) => one === (order ?? 'created'));
  if (!known) throw new ServiceError('orderAttribute', `'order' must be one of ${ASSET_ORDERS.join(', ')}.`);
  const descending = order === undefined || isOn(query, 'descending');
  return { order: known, descending, offset: offsetOf(query), limit, isContinued: false };
}

async function filterOf(query: URLSearchParams, view: ProjectView): Promise<AssetFilter> {
  const kind = query.get('kind') ?? '';
  if (kind !== '' && kind !== 'image') throw new ServiceError('badRequest', "'kind' must be image.");
  const types = partsOf(query, kind === '' ? 'type' : 'kind').map((given) =>
    knownValue(ASSET_KINDS, given, 'type'),
  );
  const folders = partsOf(query, 'folder');
  const undescribed = query.get('undescribed') || undefined;
  const wanted = query.get('text')?.trim() ?? '';
  return {
    ...(wanted !== '' && { text: wanted }),
    ...(types.length > 0 && { kinds: types }),
    ...(folders.length > 0 && { folders: foldersBelow(await loadFolders(view), folders) }),
    ...(isOn(query, 'unused') && { isUnused: true }),
    ...(undescribed !== undefined && { undescribed: languageOf(view, undescribed) }),
  };
}

async function oneJson(call: Call, view: ProjectView, asset: Asset) {
  return assetJson(call, view.model, asset, await usedAssets(view, [asset.number]));
}

function assetJson({ assetBase }: Call, model: ProjectModel, asset: Asset, used: ReadonlySet<number>) {
  const { file } = asset;
  return {
    id: asset.id,
    title: asset.title,
    file_name: file.name,
    type: file.type,
    size: file.size,
    image_width: file.width,
    image_height: file.height,
    url: assetBase + assetPath(model.project.id, file),
    folder: asset.folder,
    descriptions: model.languages
      .filter((language) => language.isActive)
      .map(({ id, codename }) => ({
        language: { id, codename },
        description: asset.descriptions[id] ?? null,
      })),
    is_used: used.has(asset.number),
    last_modified: asset.lastModified,
  };
}

function usersJson({ items, variants, published }: UsersOfAsset) {
  return { items, variants, published };
}

export const assetSchemas = {
  AdminAsset: closed<keyof ReturnType<typeof assetJson>>(
    {
      id: id('Id of the asset.'),
      title: orNull(text('For editors.')),
      file_name: text('Name of the file.'),
      type: text('Media type.'),
      size: count('Bytes.'),
      image_width: orNull(count('Pixels; null when it is no image of a known format.')),
      image_height: orNull(count('Pixels; null when it is no image of a known format.')),
      url: text('URL of the file.'),
      folder: orNull(id('Id of its folder; null: in none.')),
      descriptions: arrayOf(
        closed(
          {
            language: closed(
              { id: id('Id of the language.'), codename: text('Its codename.') },
              'A language.',
            ),
            description: orNull(text('What it shows.')),
          },
          'A description.',
        ),
        'One for each active language.',
      ),
      is_used: flag('Published or latest content refers to it.'),
      last_modified: time('Last change.'),
    },
    'An asset.',
  ),
  AdminAssetPage: closed(
    {
      assets: arrayOf(schema('AdminAsset'), 'The page.'),
      total: count('Assets that match.'),
      unlisted: count(
        'Assets of the project that the list does not have in their newest form yet: after a restore or an upgrade, until a job has listed them.',
      ),
      pagination: schema('AdminPage'),
    },
    'A page of the list of assets.',
  ),
  AdminAssetUsers: closed<keyof ReturnType<typeof usersJson>>(
    {
      items: count('Items.'),
      variants: count('Items in one language.'),
      published: count('Those of them whose published version does.'),
    },
    'How much content refers to an asset.',
  ),
};
