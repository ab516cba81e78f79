/** OpenAPI description of the asset surface: the files of asset elements and rich texts, as they were stored. */
import { errorsOf } from '../delivery/openapi-errors.ts';

type Json = Record<string, unknown>;

export function assetsOpenapi(): { tags: Json[]; paths: Json; parameters: Json } {
  const part = (name: string, description: string, more: Json = {}): Json => ({
    name,
    in: 'path',
    required: true,
    description,
    schema: { type: 'string', minLength: 1, ...more },
  });
  const requestId = { 'X-Request-ID': { $ref: '#/components/headers/RequestId' } };
  const etag = { ETag: { $ref: '#/components/headers/ETag' } };
  return {
    tags: [{ name: 'Assets', description: 'Files at the URLs that asset elements and rich texts carry.' }],
    parameters: {
      FileId: part('file_id', 'Id of the file.', { format: 'uuid' }),
      FileName: part('file_name', 'Name of the file.'),
    },
    paths: {
      '/assets/{project_id}/{file_id}/{file_name}': {
        'x-surface': 'assets',
        parameters: ['ProjectId', 'FileId', 'FileName'].map((name) => ({
          $ref: `#/components/parameters/${name}`,
        })),
        get: {
          operationId: 'getFile',
          summary: 'Read a file',
          description: 'The bytes as they were uploaded.',
          tags: ['Assets'],
          security: [{}],
          parameters: [{ $ref: '#/components/parameters/IfNoneMatch' }],
          responses: {
            200: {
              description: 'The file.',
              headers: {
                ...requestId,
                ...etag,
                'Cache-Control': {
                  description: 'A file never changes under its id.',
                  schema: { type: 'string' },
                },
                'Content-Disposition': {
                  description:
                    'Present where a browser would run the file as a page; it is then saved instead.',
                  schema: { type: 'string' },
                },
              },
              content: {
                '*/*': { schema: { type: 'string', contentMediaType: 'application/octet-stream' } },
              },
            },
            304: { $ref: '#/components/responses/NotModified' },
            ...errorsOf('BadRequest', 'NotFound'),
          },
        },
      },
    },
  };
}
