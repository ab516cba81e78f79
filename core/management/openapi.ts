/** OpenAPI description of the management API. Paths start with `/manage` and carry `x-surface`. */
import { describeErrors } from '../http/describe-errors.ts';
import { describeRoutes } from '../http/describe-routes.ts';
import type { Schema } from '../http/openapi-shapes.ts';
import { assetSchemas } from './assets.ts';
import { itemSchemas } from './item-json.ts';
import { managementSchemas } from './management-schemas.ts';
import type { Route } from './route.ts';
import { routesV1 } from './v1/routes.ts';
import { variantSchemasV1 } from './v1/variant-json.ts';
import { elementSchemas } from './v2/element-schema.ts';
import { folderSchemas } from './v2/folders.ts';
import { languageSchemas } from './v2/languages.ts';
import { routesV2 } from './v2/routes.ts';
import { snippetSchemas } from './v2/snippets.ts';
import { taxonomySchemas } from './v2/taxonomies.ts';
import { typeSchemas } from './v2/types.ts';
import { variantSchemas } from './v2/variant-json.ts';
import { webhookSchemas } from './v2/webhooks.ts';
import { workflowSchemas } from './v2/workflow.ts';
import { reportSchemas } from './validate.ts';

const errors = describeErrors('Manage', 'ManagedError', {
  401: ['Unauthorized', 'The key is missing or unknown.'],
  403: [
    'Forbidden',
    'The key was revoked, has expired or is for another project, or the management API is not enabled.',
  ],
  429: ['RateLimited', 'Too many requests with this key; repeat after the time in `Retry-After`.'],
});

/** Tags, paths and components, which `coreOpenapi` merges with those of the other surfaces. */
export function managementOpenapi() {
  return {
    tags: [
      {
        name: 'Content items',
        description: 'Names and sitemap locations of content; the content itself is in variants.',
      },
      { name: 'Language variants', description: 'The content of an item in a language.' },
      { name: 'Publishing', description: 'Publishing, schedules and workflow of variants.' },
      { name: 'Project', description: 'The project as a whole.' },
      { name: 'Content model', description: 'Content types, snippets and taxonomy groups.' },
      {
        name: 'Languages and workflow',
        description: 'Languages of the project, steps of its workflow.',
      },
      { name: 'Assets and files', description: 'Uploads, assets and their folders.' },
      { name: 'Webhooks', description: 'Notifications of changes.' },
    ],
    paths: { ...describe('v1', routesV1), ...describe('v2', routesV2) },
    components: {
      schemas: {
        ...managementSchemas,
        ...itemSchemas,
        ...variantSchemasV1,
        ...variantSchemas,
        ...reportSchemas,
        ...elementSchemas,
        ...typeSchemas,
        ...snippetSchemas,
        ...taxonomySchemas,
        ...languageSchemas,
        ...workflowSchemas,
        ...assetSchemas,
        ...folderSchemas,
        ...webhookSchemas,
      },
      responses: errors.responses,
      securitySchemes: {
        managementKey: { type: 'http', scheme: 'bearer', description: 'Management key of the project.' },
      },
    },
  };
}

function describe(version: 'v1' | 'v2', routes: readonly Route[]): Readonly<Record<string, Schema>> {
  return describeRoutes(
    {
      surface: 'manage',
      base: `/manage/${version}/projects/{project_id}`,
      parameters: [{ $ref: '#/components/parameters/ProjectId' }],
      describeParameter: (name) => `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll('_', ' ')}.`,
      idPrefix: `manage${version.toUpperCase()}`,
      security: [{ managementKey: [] }],
      errors: errors.references,
    },
    routes,
  );
}
