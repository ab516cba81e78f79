import type { CoreAnswer, CoreRequest } from '../contract.ts';
import { matches } from '../entity-tag.ts';
import { ServiceError } from '../errors.ts';
import { splitPath } from '../split-path.ts';
import type { Blobs } from '../storage/blobs/blobs.ts';
import type { Storage } from '../storage/ports.ts';

/** Types a browser would run as a page of ours; they are offered for download instead. */
const ACTIVE = new Set([
  'text/html',
  'application/xhtml+xml',
  'image/svg+xml',
  'text/xml',
  'application/xml',
]);

/**
 * `GET /{project}/{file}/{name}`: the original bytes of an uploaded file. A file never changes under its id,
 * so answers may be kept for good.
 */
export async function serveOriginal(
  { storage, blobs }: { readonly storage: Storage; readonly blobs: Blobs },
  request: CoreRequest,
): Promise<CoreAnswer> {
  const [project = '', id = '', name = '', ...rest] = splitPath(request.path);
  if (request.method !== 'GET' && request.method !== 'HEAD')
    throw new ServiceError('methodNotAllowed', 'Files can be read with GET only.', {
      headers: { allow: 'GET, HEAD, OPTIONS' },
    });
  const file =
    rest.length === 0
      ? await storage.sql.get<{ name: string; hash: string; size: number; type: string }>(
          `SELECT f.name AS name, f.hash AS hash, f.size AS size, f.type AS type FROM file f
           JOIN project p ON p.number = f.project WHERE f.id = ? AND p.id = ? AND p.archived IS NULL`,
          [id.toLowerCase(), project.toLowerCase()],
        )
      : undefined;
  if (!file || file.name !== name)
    throw new ServiceError('noSuchResource', 'The requested file was not found.');
  const etag = `"${file.hash.slice(0, 32)}"`;
  const headers = { etag, 'cache-control': 'public, max-age=31536000, immutable' };
  if (matches(request.headers['if-none-match'], etag)) return { status: 304, headers, body: null };
  return {
    status: 200,
    headers: {
      ...headers,
      'content-type': file.type,
      'content-length': String(file.size),
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      ...(ACTIVE.has(file.type.split(';')[0]?.trim().toLowerCase() ?? '')
        ? { 'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}` }
        : {}),
    },
    body: request.method === 'HEAD' ? null : blobs.open(file.hash),
  };
}
