/** OpenAPI description of the asset surface: the files of asset elements and rich texts, and transformed images. */
import { errorsOf } from '../http/delivery-errors.ts';
import { imageParameters } from './openapi-image-parameters.ts';

type Json = Record<string, unknown>;

/** Tags, paths and components, which `coreOpenapi` merges with those of the other surfaces. */
export function assetsOpenapi() {
  const part = (name: string, description: string, more: Json = {}): Json => ({
    name,
    in: 'path',
    required: true,
    description,
    schema: { type: 'string', minLength: 1, ...more },
  });
  const header = (name: string, description: string, example?: string): Json => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
    ...(example !== undefined && { example }),
  });
  const requestId = { 'X-Request-ID': { $ref: '#/components/headers/RequestId' } };
  const text = (description: string): Json => ({ description, schema: { type: 'string' } });
  const headers: Json = {
    ...requestId,
    ETag: { $ref: '#/components/headers/ETag' },
    'Cache-Control': text('An answer never changes under its URL.'),
    'Accept-Ranges': text('`bytes`.'),
    'Content-Disposition': text(
      'Present where a browser would run the file as a page; the browser saves it instead.',
    ),
    Vary: text('`Accept` on every answer of a URL with `auto`.'),
  };
  const content: Json = {
    '*/*': { schema: { type: 'string', contentMediaType: 'application/octet-stream' } },
  };
  return {
    tags: [{ name: 'Assets', description: 'Files at the URLs that asset elements and rich texts carry.' }],
    components: {
      parameters: {
        FileId: part('file_id', 'Id of the file.', { format: 'uuid' }),
        FileName: part('file_name', 'Name of the file.'),
      },
    },
    paths: {
      '/assets/{project_id}/{file_id}/{file_name}': {
        'x-surface': 'assets',
        parameters: ['ProjectId', 'FileId', 'FileName'].map((name) => ({
          $ref: `#/components/parameters/${name}`,
        })),
        get: {
          operationId: 'getFile',
          summary: 'Read a file, or an image in another size, crop or format',
          description: [
            'Without parameters: the bytes as they were uploaded. With parameters, JPEG, PNG, GIF and WebP images are',
            'transformed; nothing is scaled up. Invalid values, and parameters without those that they need, are ignored.',
            'The answer is the original where no parameter remains, where parameters contradict each other, and where',
            'the image is damaged or above the limits of the installation.',
            'Of a repeated parameter the first counts.',
          ].join('\n'),
          tags: ['Assets'],
          security: [{}],
          parameters: [
            ...imageParameters,
            { $ref: '#/components/parameters/IfNoneMatch' },
            header('If-Match', 'The `ETag` that the file must have; 412 when it has another.'),
            header(
              'Range',
              'One range of bytes; for several ranges the answer is the whole file.',
              'bytes=0-1023',
            ),
            header(
              'If-Range',
              'The `ETag` that the range belongs to; the answer is the whole file when it has another.',
            ),
            header('Accept', 'With `auto=format`: whether the client takes `image/webp`.', 'image/webp'),
          ],
          responses: {
            200: { description: 'The file, or the transformed image.', headers, content },
            206: {
              description: 'The requested range.',
              headers: {
                ...headers,
                'Content-Range': {
                  required: true,
                  description: 'Position of the bytes, as `bytes 0-1023/5000`.',
                  schema: { type: 'string', pattern: '^bytes [0-9]+-[0-9]+/[0-9]+$' },
                },
              },
              content,
            },
            304: { $ref: '#/components/responses/NotModified' },
            ...errorsOf('BadRequest', 'NotFound', 'PreconditionFailed', 'RangeNotSatisfiable'),
          },
        },
      },
    },
  };
}
