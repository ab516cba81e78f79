/** OpenAPI description of files and assets in both versions, of folders and webhook registrations in version 2. */
import { arrayOf, closed, type Schema, schema, text } from '../http/openapi-shapes.ts';
import { type DocumentedCall, type DocumentedPart, idReference, pageOf, reference } from './openapi-call.ts';
import { count, id, oneOf, open, orNull, time } from './openapi-forms.ts';

const both = ['v1', 'v2'] as const;
const v2 = ['v2'] as const;
const ASSETS = 'Assets and files';
const WEBHOOKS = 'Webhooks';

const assetCalls: readonly DocumentedCall[] = [
  {
    versions: both,
    method: 'post',
    path: 'files/:file_name',
    id: 'uploadFile',
    summary: 'Upload a file',
    description: 'The body is the file; `Content-Type` is its media type.',
    tag: ASSETS,
    upload: true,
    answers: { 200: schema('ManagedFileReference') },
  },
  {
    versions: both,
    method: 'get',
    path: 'assets',
    id: 'listAssets',
    summary: 'List assets',
    tag: ASSETS,
    paged: true,
    answers: { 200: schema('ManagedAssetPage') },
  },
  {
    versions: both,
    method: 'post',
    path: 'assets',
    id: 'addAsset',
    summary: 'Add an asset',
    tag: ASSETS,
    body: schema('ManagedAssetInput'),
    answers: { 201: schema('ManagedAsset') },
  },
  {
    versions: both,
    method: 'get',
    path: 'assets/<asset>',
    id: 'getAsset',
    summary: 'Read an asset',
    tag: ASSETS,
    answers: { 200: schema('ManagedAsset') },
  },
  {
    versions: both,
    method: 'put',
    path: 'assets/<asset>',
    id: 'putAsset',
    summary: 'Change an asset',
    description:
      'Title, folder and the descriptions that are named. By external id the asset is made when there is none, and ' +
      'may be given another file.',
    tag: ASSETS,
    body: schema('ManagedAssetInput'),
    answers: { 200: schema('ManagedAsset'), 201: schema('ManagedAsset') },
  },
  {
    versions: both,
    method: 'delete',
    path: 'assets/<asset>',
    id: 'deleteAsset',
    summary: 'Delete an asset',
    description: 'Refused while content shows it.',
    tag: ASSETS,
    answers: { 204: null },
  },
];

const folderCall = (method: 'get' | 'post' | 'patch', more: Partial<DocumentedCall>): DocumentedCall => ({
  versions: v2,
  method,
  path: 'folders',
  id: `${method}Folders`,
  summary: 'Read the folders of assets',
  tag: ASSETS,
  answers: { [method === 'post' ? 201 : 200]: schema('ManagedFolders') },
  ...more,
});

const folderCalls: readonly DocumentedCall[] = [
  folderCall('get', {}),
  folderCall('post', { summary: 'Add folders', body: schema('ManagedFoldersInput') }),
  folderCall('patch', { summary: 'Change folders', body: schema('ManagedFolderOperations') }),
];

const webhookCalls: readonly DocumentedCall[] = [
  {
    versions: v2,
    method: 'get',
    path: 'webhooks',
    id: 'listWebhooks',
    summary: 'List webhooks',
    tag: WEBHOOKS,
    answers: { 200: arrayOf(schema('ManagedWebhook'), 'All webhooks.') },
  },
  {
    versions: v2,
    method: 'post',
    path: 'webhooks',
    id: 'addWebhook',
    summary: 'Register a webhook',
    tag: WEBHOOKS,
    body: schema('ManagedWebhookInput'),
    answers: { 201: schema('ManagedWebhook') },
  },
  {
    versions: v2,
    method: 'get',
    path: 'webhooks/:webhook_id',
    id: 'getWebhook',
    summary: 'Read a webhook',
    tag: WEBHOOKS,
    answers: { 200: schema('ManagedWebhook') },
  },
  {
    versions: v2,
    method: 'put',
    path: 'webhooks/:webhook_id/enable',
    id: 'enableWebhook',
    summary: 'Enable a webhook',
    tag: WEBHOOKS,
    answers: { 204: null },
  },
  {
    versions: v2,
    method: 'put',
    path: 'webhooks/:webhook_id/disable',
    id: 'disableWebhook',
    summary: 'Disable a webhook',
    tag: WEBHOOKS,
    answers: { 204: null },
  },
  {
    versions: v2,
    method: 'delete',
    path: 'webhooks/:webhook_id',
    id: 'deleteWebhook',
    summary: 'Delete a webhook',
    tag: WEBHOOKS,
    answers: { 204: null },
  },
];

function assetSchemas(): Readonly<Record<string, Schema>> {
  const fileReference = closed(
    { id: id('Id of the file.'), type: oneOf(['internal'], 'Where the file is.') },
    'A file that was uploaded.',
  );
  const triggers = (steps: Schema): Schema => ({
    delivery_api_content_changes: arrayOf(
      open(
        {
          type: text('What is changed: `content_item_variant`, `taxonomy`, …'),
          operations: arrayOf(
            text('`publish`, `unpublish`, …'),
            'What is done; everything when empty. `restore` includes `restore_publish`.',
          ),
        },
        'Changes of published content.',
        ['type'],
      ),
      'Changes it is told of.',
    ),
    workflow_step_changes: arrayOf(
      open({ type: text('What is moved.'), transitions_to: arrayOf(steps, 'Steps.') }, 'Moves.', ['type']),
      'Moves it is told of.',
    ),
  });
  return {
    ManagedFileReference: fileReference,
    ManagedAsset: closed(
      {
        id: id('Id of the asset.'),
        file_name: text('Name of the file.'),
        title: orNull(text('For editors.')),
        size: count('Bytes.'),
        type: text('Media type.'),
        url: text('Address of the file.'),
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
        file_reference: open(
          { id: text('Id of an uploaded file.'), type: text('`internal`.') },
          'The file.',
          ['id'],
        ),
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
      'An asset to be made or changed.',
    ),
    ManagedFolder: closed(
      {
        id: id('Id.'),
        name: text('Name.'),
        external_id: text('External id; absent when it has none.'),
        folders: arrayOf(schema('ManagedFolder'), 'Folders inside.'),
      },
      'A folder of assets.',
      ['external_id'],
    ),
    ManagedFolders: closed(
      {
        last_modified: time('Last change.'),
        folders: arrayOf(schema('ManagedFolder'), 'Folders at the top.'),
      },
      'All folders.',
    ),
    ManagedFolderInput: open(
      {
        name: text('At most 250 characters.'),
        external_id: text('External id.'),
        folders: arrayOf(schema('ManagedFolderInput'), 'Folders inside.'),
      },
      'A folder to be made.',
      ['name'],
    ),
    ManagedFoldersInput: open(
      { folders: arrayOf(schema('ManagedFolderInput'), 'Folders at the top.') },
      'Folders to be made beside those that are there.',
      ['folders'],
    ),
    ManagedFolderOperations: arrayOf(
      open(
        {
          op: oneOf(['addInto', 'remove', 'rename'], 'What is done.'),
          reference,
          value: { description: 'A folder, or the new name.' },
          before: reference,
          after: reference,
        },
        'One operation; at the top when it has no reference.',
        ['op'],
      ),
      'Operations in order.',
    ),
    ManagedWebhook: closed(
      {
        last_modified: time('Last change.'),
        id: id('Id.'),
        name: text('Name.'),
        url: text(
          'Where notifications go, as the URL parser reads it: without spaces around it, percent-encoded.',
        ),
        secret: text('Signs notifications.'),
        triggers: closed(triggers(idReference), 'What it is told of; everything when empty.'),
      },
      'A webhook.',
    ),
    ManagedWebhookInput: open(
      {
        name: text('At most 200 characters.'),
        url: text(
          'Absolute, http or https, at most 250 characters; no control characters, user name or password. A fragment is kept and never sent.',
        ),
        secret: text('Made when absent.'),
        triggers: open(triggers(reference), 'What it is told of.'),
      },
      'A webhook to be registered.',
      ['name', 'url'],
    ),
  };
}

export const assetsOpenapi: DocumentedPart = {
  tags: [
    { name: ASSETS, description: 'Uploads, assets and the folders they are in.' },
    { name: WEBHOOKS, description: 'Who is told of changes.' },
  ],
  calls: [...assetCalls, ...folderCalls, ...webhookCalls],
  schemas: assetSchemas(),
};
