/** OpenAPI description of the asset surface: the files of asset elements and rich texts, and what is made of pictures. */
import { errorsOf } from '../http/openapi-errors.ts';
import { imageParameters } from './openapi-image-parameters.ts';

type Json = Record<string, unknown>;

export function assetsOpenapi(): { tags: Json[]; paths: Json; parameters: Json } {
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
  const told = (description: string): Json => ({ description, schema: { type: 'string' } });
  const headers: Json = {
    ...requestId,
    ETag: { $ref: '#/components/headers/ETag' },
    'Cache-Control': told('What is made of a file never changes under its URL.'),
    'Accept-Ranges': told('`bytes`.'),
    'Content-Disposition': told(
      'Present where a browser would run the file as a page; it is then saved instead.',
    ),
    Vary: told('`Accept` on every answer of a URL with `auto`.'),
  };
  const content: Json = {
    '*/*': { schema: { type: 'string', contentMediaType: 'application/octet-stream' } },
  };
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
          summary: 'Read a file, or a picture in another size, crop or format',
          description: [
            'Without parameters: the bytes as they were uploaded. With parameters, JPEG, PNG, GIF and WebP pictures are',
            'transformed; nothing is scaled up. A value outside its rule is as if the parameter were not given, one',
            'without what it needs has no effect, and where the rest contradicts itself, or nothing is left, the answer',
            'is the original. So it is for pictures that are damaged or larger than the installation takes.',
            'Of a repeated parameter the first counts.',
          ].join('\n'),
          tags: ['Assets'],
          security: [{}],
          parameters: [
            ...imageParameters,
            { $ref: '#/components/parameters/IfNoneMatch' },
            header('If-Match', 'The `ETag` that the file must have; 412 when it has another.'),
            header('Range', 'One range of bytes; several are answered with the whole.', 'bytes=0-1023'),
            header('If-Range', 'The `ETag` that the range is of; the whole comes when it is another.'),
            header('Accept', 'Read where `auto` is `format`: whether it names `image/webp`.', 'image/webp'),
          ],
          responses: {
            200: { description: 'The file, or the picture that was made of it.', headers, content },
            206: {
              description: 'The range that was asked for.',
              headers: {
                ...headers,
                'Content-Range': {
                  required: true,
                  description: 'Where the bytes belong, as `bytes 0-1023/5000`.',
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
