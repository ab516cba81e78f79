import { VARIANT_STATES } from '../publishing/variant-states.ts';
import { NOTIFICATION_STATES } from '../webhooks/operator/notification-log.ts';
import type { DocumentedCall } from './documented-call.ts';
import { webhookCalls } from './openapi-webhooks.ts';

type Json = Record<string, unknown>;

const of = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
const listOf = (key: string, name: string): Json => ({
  type: 'object',
  properties: { [key]: { type: 'array', items: of(name) } },
  required: [key],
  additionalProperties: false,
});
const pageOf = (key: string, name: string): Json => ({
  type: 'object',
  properties: { [key]: { type: 'array', items: of(name) }, pagination: of('AdminPage') },
  required: [key, 'pagination'],
  additionalProperties: false,
});
const shape = (properties: Json, optional: readonly string[] = []): Json => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((key) => !optional.includes(key)),
  additionalProperties: false,
});
const text = { type: 'string' };
const textOrNull = { type: ['string', 'null'] };
const boolean = { type: 'boolean' };
const reference = {
  oneOf: [
    text,
    {
      type: 'object',
      properties: { id: text, codename: text, external_id: text },
      minProperties: 1,
      maxProperties: 1,
    },
  ],
};
const userBody = {
  name: text,
  email: text,
  projects: {
    type: 'array',
    items: shape({ id: text, capabilities: { type: 'array', items: text } }),
  },
};

/** Query parameters of the admin API by name. */
export const adminParameters: Readonly<Record<string, Json>> = {
  after: { description: 'Where the page starts: the `next` of the one before.', schema: text },
  limit: { description: 'Entries of a page.', schema: { type: 'integer', minimum: 1, maximum: 100 } },
  type: { description: 'Id or codename of a content type.', schema: text },
  state: { description: 'State, in `language` or in any.', schema: { enum: [...VARIANT_STATES] } },
  notificationState: {
    name: 'state',
    description: 'State of the notification.',
    schema: { enum: [...NOTIFICATION_STATES] },
  },
  language: { description: 'Id or codename of a language.', schema: text },
  text: { description: 'Part of the name or codename.', schema: text },
  item: { description: 'Id or codename of an item.', schema: text },
  project: { description: 'Id of a project.', schema: text },
  id: { description: 'Id of the project to make; the one in the archive when not given.', schema: text },
  name: { description: 'Its name; the one in the archive when not given.', schema: text },
  from: {
    description: 'First day, as 2026-11-20 (UTC); 29 days before the last one when not given.',
    schema: { type: 'string', format: 'date' },
  },
  to: {
    description: 'Last day, as 2026-11-20 (UTC); today when not given.',
    schema: { type: 'string', format: 'date' },
  },
  plan: { description: '`true`: only tell what would be.', schema: { enum: ['true', 'false'] } },
};

const PAGE = ['after', 'limit'];

export const documentedCalls: readonly DocumentedCall[] = [
  {
    method: 'post',
    path: 'projects',
    id: 'createProject',
    summary: 'Make a project',
    body: {
      properties: { name: text, id: text, default_language: shape({ name: text, codename: text }) },
      required: ['name'],
    },
    answer: of('AdminNewProject'),
    created: true,
    conflict: true,
  },
  {
    method: 'get',
    path: 'projects',
    id: 'listProjects',
    summary: 'List projects, archived ones included',
    answer: listOf('projects', 'AdminProject'),
  },
  {
    method: 'get',
    path: 'projects/:project',
    id: 'getProject',
    summary: 'Read a project',
    answer: of('AdminProject'),
  },
  { method: 'delete', path: 'projects/:project', id: 'archiveProject', summary: 'Archive a project' },
  {
    method: 'put',
    path: 'projects/:project/restore',
    id: 'restoreProject',
    summary: 'Restore an archived project',
  },
  {
    method: 'put',
    path: 'projects/:project/secure-access',
    id: 'setSecureAccess',
    summary: 'Turn secure access on or off',
    body: { properties: { enabled: boolean }, required: ['enabled'] },
    answer: shape({ enabled: boolean, primary: text, secondary: text }, ['primary', 'secondary']),
  },
  {
    method: 'put',
    path: 'projects/:project/management-api',
    id: 'setManagementApi',
    summary: 'Turn the management API on or off',
    body: { properties: { enabled: boolean, user_id: textOrNull }, required: ['enabled'] },
    answer: shape({ enabled: boolean, key: text }, ['key']),
  },
  {
    method: 'get',
    path: 'projects/:project/keys',
    id: 'listKeys',
    summary: 'List the keys of a project',
    answer: listOf('keys', 'AdminKey'),
  },
  {
    method: 'post',
    path: 'projects/:project/keys/:slot/regenerate',
    id: 'regenerateKey',
    summary: 'Replace the key of a slot',
    answer: shape({ slot: text, key: text, created: text }),
  },
  {
    method: 'post',
    path: 'projects/:project/management-keys',
    id: 'createManagementKey',
    summary: "Make a user's management key",
    body: {
      properties: { user_id: text, expires_in_days: { type: ['integer', 'null'], minimum: 1 } },
      required: ['user_id'],
    },
    answer: shape({ id: text, key: text, user_id: text, expires: textOrNull }),
    created: true,
  },
  {
    method: 'post',
    path: 'projects/:project/management-keys/:key/regenerate',
    id: 'regenerateManagementKey',
    summary: "Replace a user's management key; the old one is revoked",
    body: { properties: { expires_in_days: { type: ['integer', 'null'], minimum: 1 } } },
    optionalBody: true,
    answer: shape({ id: text, key: text, user_id: text, expires: textOrNull }),
    conflict: true,
  },
  {
    method: 'post',
    path: 'token/regenerate',
    id: 'regenerateAdminToken',
    summary: 'Replace the admin token; the old one is dead from the answer on',
    answer: shape({ token: text, created: text }),
    conflict: true,
  },
  {
    method: 'get',
    path: 'projects/:project/usage',
    id: 'getUsage',
    summary: 'Count calls by day and surface',
    query: ['from', 'to'],
    answer: of('AdminUsage'),
  },
  {
    method: 'delete',
    path: 'projects/:project/management-keys/:key',
    id: 'revokeManagementKey',
    summary: 'Revoke a management key',
  },
  {
    method: 'post',
    path: 'users',
    id: 'createUser',
    summary: 'Make a user',
    body: { properties: userBody, required: ['name', 'email'] },
    answer: of('AdminUser'),
    created: true,
  },
  {
    method: 'get',
    path: 'users',
    id: 'listUsers',
    summary: 'List users',
    answer: listOf('users', 'AdminUser'),
  },
  { method: 'get', path: 'users/:user', id: 'getUser', summary: 'Read a user', answer: of('AdminUser') },
  {
    method: 'patch',
    path: 'users/:user',
    id: 'updateUser',
    summary: 'Change a user',
    body: { properties: userBody },
    answer: of('AdminUser'),
  },
  { method: 'delete', path: 'users/:user', id: 'removeUser', summary: 'Remove a user and end its keys' },
  {
    method: 'get',
    path: 'projects/:project/sitemap',
    id: 'getSitemap',
    summary: 'Read the sitemap',
    answer: of('AdminSitemap'),
  },
  {
    method: 'put',
    path: 'projects/:project/sitemap',
    id: 'replaceSitemap',
    summary: 'Replace the sitemap; nodes with known ids are kept',
    body: { properties: { nodes: { type: 'array', items: { type: 'object' } } }, required: ['nodes'] },
    answer: of('AdminSitemap'),
  },
  ...(['archive', 'restore'] as const).map((act) => ({
    method: 'post' as const,
    path: `projects/:project/taxonomies/:taxonomy/${act}`,
    id: `${act}Taxonomy`,
    summary: act === 'archive' ? 'Archive a taxonomy group' : 'Restore a taxonomy group',
    conflict: true as const,
  })),
  ...(['deactivate', 'activate'] as const).map((act) => ({
    method: 'post' as const,
    path: `projects/:project/languages/:language/${act}`,
    id: `${act}Language`,
    summary: act === 'activate' ? 'Activate a language' : 'Deactivate a language',
  })),
  {
    method: 'get',
    path: 'projects/:project/items',
    id: 'listItemStates',
    summary: 'List items with the state of each language',
    query: ['type', 'state', 'language', 'text', ...PAGE],
    answer: pageOf('items', 'AdminItem'),
  },
  {
    method: 'get',
    path: 'projects/:project/items/:item',
    id: 'getItemStates',
    summary: 'Read an item with the state of each language',
    answer: of('AdminItem'),
  },
  ...(['archive', 'restore'] as const).flatMap((act) => [
    {
      method: 'post' as const,
      path: `projects/:project/items/:item/${act}`,
      id: `${act}Item`,
      summary: act === 'archive' ? 'Archive an item' : 'Restore an item',
      conflict: true as const,
    },
    {
      method: 'post' as const,
      path: `projects/:project/items/:item/variants/:language/${act}`,
      id: `${act}Variant`,
      summary: act === 'archive' ? 'Archive a language variant' : 'Restore a language variant',
      conflict: true as const,
    },
  ]),
  {
    method: 'get',
    path: 'projects/:project/items/:item/used-in',
    id: 'itemUsedIn',
    summary: 'Tell what refers to an item',
    query: PAGE,
    answer: pageOf('used_in', 'AdminUsedIn'),
  },
  {
    method: 'get',
    path: 'projects/:project/assets/:asset/used-in',
    id: 'assetUsedIn',
    summary: 'Tell what refers to an asset',
    query: PAGE,
    answer: pageOf('used_in', 'AdminUsedIn'),
  },
  {
    method: 'post',
    path: 'projects/:project/publish',
    id: 'publishMany',
    summary: 'Publish several variants, all or none, or plan it',
    query: ['plan'],
    body: {
      properties: {
        variants: { type: 'array', minItems: 1, items: shape({ item: reference, language: reference }) },
        scheduled_to: textOrNull,
      },
      required: ['variants'],
    },
    answer: of('AdminPublishPlan'),
  },
  {
    method: 'get',
    path: 'projects/:project/revisions',
    id: 'listRevisions',
    summary: 'Tell who changed what and when',
    query: ['item', 'language', ...PAGE],
    answer: pageOf('revisions', 'AdminRevision'),
  },
  {
    method: 'get',
    path: 'audit',
    id: 'listAudit',
    summary: 'List administrative acts',
    query: ['project', ...PAGE],
    answer: pageOf('audit', 'AdminAct'),
  },
  {
    method: 'post',
    path: 'projects/:project/export',
    id: 'exportProject',
    summary: 'Get a whole project as one archive',
    archive: 'answer',
  },
  {
    method: 'post',
    path: 'projects/import',
    id: 'importProject',
    summary: 'Make a project from an archive; of one that is refused or breaks off nothing is kept',
    query: ['id', 'name'],
    archive: 'request',
    answer: shape({
      id: text,
      job: text,
      repeated: boolean,
      assets: { type: 'integer' },
      items: { type: 'integer' },
      variants: { type: 'integer' },
      violations: { type: 'array', items: { $ref: '#/components/schemas/AdminValidationError' } },
    }),
    created: true,
    conflict: true,
  },
  ...webhookCalls,
  { method: 'get', path: 'jobs', id: 'listJobs', summary: 'List jobs', answer: listOf('jobs', 'AdminJob') },
  { method: 'get', path: 'jobs/:job', id: 'getJob', summary: 'Read a job', answer: of('AdminJob') },
  { method: 'delete', path: 'jobs/:job', id: 'cancelJob', summary: 'Cancel a job', conflict: true },
];
