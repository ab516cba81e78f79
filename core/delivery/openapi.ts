/**
 * OpenAPI 3.1 document of delivery and preview. Paths start with the
 * name of their surface, because two surfaces answer the same paths; the gateway, which knows the real
 * prefixes and hosts, puts those in and adds `servers`.
 */

import { errorResponses, errorsOf } from '../http/delivery-errors.ts';
import { describeRoutes, type SurfaceDescription } from '../http/describe-routes.ts';
import { deliveryHeaders, deliveryParameters } from './openapi-parameters.ts';
import { deliverySchemas } from './openapi-schemas.ts';
import { deliveryRoutes } from './routes.ts';

type Json = Record<string, unknown>;

/**
 * The document without `info` and `servers`; every path starts with `/<surface>/` and carries `x-surface`.
 * @param vendor `header`: the `SVC` of `X-SVC-…` header names; `mediaType`: the `service` of
 *   `application/service` in rich text.
 */
export function deliveryOpenapi(vendor: { header: string; mediaType: string }): Record<string, unknown> {
  return {
    openapi: '3.1.1',
    tags: [
      { name: 'Delivery', description: 'Published content.' },
      { name: 'Preview', description: 'Latest versions, published or not; needs a key.' },
    ],
    paths: {
      ...describe({
        surface: 'delivery',
        tag: 'Delivery',
        idPrefix: '',
        security: [{}, { deliveryKey: [] }],
      }),
      ...describe({
        surface: 'preview',
        tag: 'Preview',
        idPrefix: 'preview',
        security: [{ previewKey: [] }],
      }),
    },
    components: {
      schemas: deliverySchemas(vendor.mediaType),
      parameters: deliveryParameters(vendor.header),
      headers: deliveryHeaders(),
      responses: { ...errorResponses(), NotModified: notModified },
      securitySchemes: {
        deliveryKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'Delivery key of the project; required only while secure access is on.',
        },
        previewKey: { type: 'http', scheme: 'bearer', description: 'Preview key of the project.' },
      },
    },
  };
}

const notModified: Json = {
  description: 'The client has the current answer.',
  headers: {
    'X-Request-ID': { $ref: '#/components/headers/RequestId' },
    ETag: { $ref: '#/components/headers/ETag' },
  },
};

function describe(own: Pick<SurfaceDescription, 'surface' | 'tag' | 'idPrefix' | 'security'>) {
  return describeRoutes(
    {
      ...own,
      base: `/${own.surface}/{project_id}`,
      parameters: [{ $ref: '#/components/parameters/ProjectId' }],
      errors: {
        304: { $ref: '#/components/responses/NotModified' },
        ...errorsOf('BadRequest', 'Unauthorized', 'NotFound'),
      },
    },
    deliveryRoutes,
  );
}
