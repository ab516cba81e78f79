import {
  type Asset,
  createAsset,
  deleteAsset,
  findAsset,
  listAssets,
  updateAsset,
  upsertAsset,
} from '../assets/assets.ts';
import { addFile, checkUpload, receiveFile } from '../assets/files.ts';
import {
  arrayOf,
  closed,
  count,
  id,
  oneOf,
  open,
  orNull,
  schema,
  text,
  time,
} from '../http/openapi-shapes.ts';
import { WHOLE } from '../http/route.ts';
import { assetPath } from '../model/asset-path.ts';
import type { AssetInput } from '../model/inputs.ts';
import { Issues } from '../model/issues.ts';
import type { ProjectModel } from '../model/model.ts';
import { type Call, referenceAt, textAt } from './call.ts';
import { Fields, withIssues } from './fields.ts';
import { idReference, pageOf, reference } from './management-schemas.ts';
import { PAGE_SIZE, pageAnswer, pageStart } from './paging.ts';
import { type Answer, answersCreated, answersPage, type Route, routesOf } from './route.ts';

const route = routesOf('Assets and files', { read: 'view-content', write: 'edit-content' });
const asset = schema('ManagedAsset');

/** Files and assets; version 1 has no folders. */
export function assetRoutes(version: 'v1' | 'v2'): readonly Route[] {
  const folders = version === 'v2';
  return [
    route('POST files/:file_name', {
      id: 'uploadFile',
      summary: 'Upload a file',
      description: 'The body is the file; `Content-Type` is its media type.',
      upload: { '*/*': { schema: { type: 'string', format: 'binary' } } },
      answers: { 200: { schema: schema('ManagedFileReference') } },
      handler: upload,
    }),
    route('GET assets', {
      id: 'listAssets',
      summary: 'List assets',
      ...answersPage(schema('ManagedAssetPage')),
      handler: (call) => list(call, folders),
    }),
    route('POST assets', {
      id: 'addAsset',
      summary: 'Add an asset',
      body: schema('ManagedAssetInput'),
      answers: answersCreated(asset),
      handler: (call) => add(call, folders),
    }),
    route('GET assets/<asset>', {
      id: 'getAsset',
      tagged: WHOLE,
      summary: 'Read an asset',
      answers: { 200: { schema: asset } },
      handler: (call) => get(call, folders),
    }),
    route('PUT assets/<asset>', {
      id: 'putAsset',
      summary: 'Change an asset',
      description:
        'Title, folder and the descriptions that are named. By external id the asset is created when there is none, and ' +
        'may be given another file.',
      body: schema('ManagedAssetInput'),
      answers: { 200: { schema: asset }, ...answersCreated(asset) },
      handler: (call) => put(call, folders),
    }),
    route('DELETE assets/<asset>', {
      id: 'deleteAsset',
      summary: 'Delete an asset',
      permission: 'delete-content',
      description: 'Refused while content refers to it.',
      handler: remove,
    }),
  ];
}

/** Stores the bytes before the transaction, so that a slow upload does not block other writers. */
async function upload(call: Call): Promise<Answer> {
  const file = { name: textAt(call, 'file_name'), type: call.headers['content-type'] ?? '' };
  checkUpload(file);
  const length = call.headers['content-length'];
  const content = await receiveFile(
    call.operations.blobs,
    call.upload ?? new Uint8Array(),
    length === undefined ? undefined : Number(length),
  );
  const stored = await call.write((transaction) => addFile(transaction, { ...file, content }));
  return { status: 200, body: { id: stored.id, type: 'internal' } };
}

function list(call: Call, folders: boolean): Promise<Answer> {
  const [after = 0] = pageStart(call, 'assets');
  return call.read(async (view) => {
    const assets = await listAssets(view, after, PAGE_SIZE.assets + 1);
    return pageAnswer(
      call,
      'assets',
      'assets',
      assets,
      ({ number }) => [number],
      (asset) => toAssetJson(call, view.model, asset, folders),
    );
  });
}

async function add(call: Call, folders: boolean): Promise<Answer> {
  const body = (await call.body()).object();
  return call.write(async (transaction) => {
    const issues = new Issues();
    const fields = new Fields(issues, body);
    if (fields.raw('file_reference') === undefined) {
      issues.add("The property 'file_reference' is missing.", 'file_reference');
    }
    const input = { ...(await readAsset(fields, folders)), external_id: fields.text('external_id') };
    const asset = await withIssues(issues, () =>
      createAsset(transaction, { ...input, file: input.file ?? '' }),
    );
    return created(call, toAssetJson(call, transaction.model, asset, folders));
  });
}

function get(call: Call, folders: boolean): Promise<Answer> {
  return call.read(async (view) => {
    const asset = await findAsset(view, referenceAt(call, 'asset'));
    return { status: 200, body: toAssetJson(call, view.model, asset, folders) };
  });
}

/** By external id it creates a missing asset and can replace the file; by id it does neither. */
async function put(call: Call, folders: boolean): Promise<Answer> {
  const reference = referenceAt(call, 'asset');
  const body = (await call.body()).object();
  return call.write(async (transaction) => {
    const issues = new Issues();
    const { file, ...changes } = await readAsset(new Fields(issues, body), folders);
    const { external_id: externalId } = reference;
    if (externalId === undefined) {
      const asset = await withIssues(issues, () => updateAsset(transaction, reference, changes));
      return { status: 200, body: toAssetJson(call, transaction.model, asset, folders) };
    }
    const { asset, created: isNew } = await withIssues(issues, () =>
      upsertAsset(transaction, externalId, { ...changes, ...(file !== undefined && { file }) }),
    );
    const json = toAssetJson(call, transaction.model, asset, folders);
    return isNew ? created(call, json) : { status: 200, body: json };
  });
}

function remove(call: Call): Promise<Answer> {
  const reference = referenceAt(call, 'asset');
  return call.write(async (transaction) => {
    await deleteAsset(transaction, reference);
    return { status: 204 };
  });
}

type AssetJson = ReturnType<typeof toAssetJson>;

function created(call: Call, json: AssetJson): Answer {
  return { status: 201, location: `${call.base}/assets/${json.id}`, body: json };
}

type AssetBody = Omit<AssetInput, 'file' | 'external_id'> & { readonly file: string | undefined };

async function readAsset(fields: Fields, folders: boolean): Promise<AssetBody> {
  const folder = fields.raw('folder') === undefined || !folders ? undefined : fields.reference('folder');
  return {
    file: readFileReference(fields),
    title: fields.textOrNull('title'),
    folder: folders && fields.raw('folder') === null ? null : folder,
    descriptions:
      (await fields.each('descriptions', (one) => {
        one.require('language');
        one.require('description');
        return {
          language: one.reference('language') ?? {},
          description: one.textOrNull('description') ?? null,
        };
      })) ?? [],
  };
}

/** The type is `internal`; the .NET client of version 1 sends the number 0 instead. */
function readFileReference(fields: Fields): string | undefined {
  const reference = fields.object('file_reference');
  if (!reference?.require('id')) return undefined;
  const type = reference.raw('type') ?? 'internal';
  if (type !== 'internal' && type !== 0) {
    fields.issues.add(`The type of a file reference is 'internal'.`, reference.at('type'));
  }
  return reference.text('id');
}

function toAssetJson(call: Call, model: ProjectModel, asset: Asset, folders: boolean) {
  const { file } = asset;
  return {
    id: asset.id,
    file_name: file.name,
    title: asset.title,
    size: file.size,
    type: file.type,
    url: call.assetBase + assetPath(model.project.id, file),
    image_width: file.width,
    image_height: file.height,
    file_reference: { id: file.id, type: 'internal' },
    descriptions: model.languages
      .filter((language) => language.isActive)
      .map(({ id }) => ({ language: { id }, description: asset.descriptions[id] ?? null })),
    ...(asset.externalId !== null && { external_id: asset.externalId }),
    ...(folders && asset.folder !== null && { folder: { id: asset.folder } }),
    last_modified: asset.lastModified,
  };
}

const fileReference = closed(
  { id: id('Id of the file.'), type: oneOf(['internal'], 'Where the file is.') },
  'A file that was uploaded.',
);

export const assetSchemas = {
  ManagedFileReference: fileReference,
  ManagedAsset: closed<keyof AssetJson>(
    {
      id: id('Id of the asset.'),
      file_name: text('Name of the file.'),
      title: orNull(text('For editors.')),
      size: count('Bytes.'),
      type: text('Media type.'),
      url: text('URL of the file.'),
      image_width: orNull(count('Pixels; null when it is no image.')),
      image_height: orNull(count('Pixels; null when it is no image.')),
      file_reference: fileReference,
      descriptions: arrayOf(
        closed({ language: idReference, description: orNull(text('What it shows.')) }, 'A description.'),
        'One for each active language.',
      ),
      external_id: text('External id; absent when it has none.'),
      folder: idReference,
      last_modified: time('Last change.'),
    },
    'An asset.',
    ['external_id', 'folder'],
  ),
  ManagedAssetPage: pageOf('assets', schema('ManagedAsset'), 'One page.'),
  ManagedAssetInput: open(
    {
      file_reference: open({ id: text('Id of an uploaded file.'), type: text('`internal`.') }, 'The file.', [
        'id',
      ]),
      title: orNull(text('At most 50 characters.')),
      external_id: text('External id.'),
      folder: orNull(reference),
      descriptions: arrayOf(
        open(
          { language: reference, description: orNull(text('At most 500 characters.')) },
          'A description.',
          ['language', 'description'],
        ),
        'Languages that are not named keep theirs.',
      ),
    },
    'An asset to be created or changed.',
  ),
};
