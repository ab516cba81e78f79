import { ServiceError } from '../errors.ts';
import { matches, matchesStrongly } from '../http/entity-tag.ts';
import type { CoreAnswer, CoreRequest } from '../http/request.ts';
import { type ByteRange, readRange } from './byte-range.ts';

/** Larger answers are streamed; smaller ones are arrays, which a gateway may cache. */
const WHOLE_BYTES = 1_048_576;
const PIECE = 65_536;

/** Bytes that can be answered with: a stored file, or the result of a transformation. */
export interface Content {
  readonly type: string;
  readonly etag: string;
  readonly size: number;
  /** Headers beside those of content. */
  readonly headers: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
  readonly sequence: number;
  read(range: ByteRange | undefined): Promise<Uint8Array>;
  stream(range: ByteRange | undefined): AsyncIterable<Uint8Array>;
}

/** A file never changes under its id and parameters. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** 304 to a client that has the content; else undefined. */
export function unchanged(
  request: CoreRequest,
  { etag, headers, tags, sequence }: Pick<Content, 'etag' | 'headers' | 'tags' | 'sequence'>,
): CoreAnswer | undefined {
  if (!matches(request.headers['if-none-match'], etag)) return undefined;
  return {
    status: 304,
    headers: { ...vary(headers), etag, 'cache-control': IMMUTABLE },
    body: null,
    tags,
    sequence,
  };
}

/** 412, 304, 206, 416 or the whole; RFC 9110, 13.2.2. */
export async function contentAnswer(request: CoreRequest, content: Content): Promise<CoreAnswer> {
  const { etag, size, type } = content;
  const { 'if-match': ifMatch } = request.headers;
  if (ifMatch !== undefined && !matchesStrongly(ifMatch, etag))
    throw new ServiceError('preconditionFailed', 'The file is not the one that If-Match names.', {
      headers: { ...vary(content.headers), etag },
    });
  const same = unchanged(request, content);
  if (same) return same;
  const headers: Record<string, string> = {
    ...content.headers,
    etag,
    'cache-control': IMMUTABLE,
    'content-type': type,
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    'content-security-policy': policyOf(type),
  };
  const { range: header, 'if-range': ifRange } = request.headers;
  const range = ifRange === undefined || ifRange.trim() === etag ? readRange(header, size) : 'whole';
  if (range === 'unsatisfiable') {
    throw new ServiceError(
      'rangeNotSatisfiable',
      `The file has ${size} bytes; the range begins behind them.`,
      {
        headers: { ...vary(content.headers), 'content-range': `bytes */${size}` },
      },
    );
  }
  if (range === 'whole') {
    const body = size <= WHOLE_BYTES ? [await content.read(undefined)] : opened(content, undefined);
    // Of an array the sender knows the length.
    if (size > WHOLE_BYTES) headers['content-length'] = String(size);
    const { tags, sequence } = content;
    return { status: 200, headers, body, tags, sequence };
  }
  const length = range.end - range.start + 1;
  headers['content-range'] = `bytes ${range.start}-${range.end}/${size}`;
  if (length > WHOLE_BYTES) headers['content-length'] = String(length);
  // Without tags: a part must not be cached as the whole.
  return {
    status: 206,
    headers,
    body: length <= WHOLE_BYTES ? [await content.read(range)] : opened(content, range),
  };
}

/** Opens the file when the first piece is read: an answer without a reader, as to HEAD, keeps no file open. */
async function* opened(content: Content, range: ByteRange | undefined): AsyncGenerator<Uint8Array> {
  yield* content.stream(range);
}

/** Bytes that are in memory. */
export function fromMemory(bytes: Uint8Array): Pick<Content, 'size' | 'read' | 'stream'> {
  const cut = (range: ByteRange | undefined) => (range ? bytes.subarray(range.start, range.end + 1) : bytes);
  return {
    size: bytes.byteLength,
    read: async (range) => cut(range),
    async *stream(range) {
      const part = cut(range);
      for (let at = 0; at < part.byteLength; at += PIECE) yield part.subarray(at, at + PIECE);
    },
  };
}

/**
 * Nothing within a file runs, loads other resources or sends data. PDF has no sandbox: the viewers of browsers do not
 * start in one.
 */
function policyOf(type: string): string {
  const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data: 'self'; media-src 'self'";
  return type === 'application/pdf' ? policy : `${policy}; sandbox`;
}

function vary({ vary: value }: Readonly<Record<string, string>>): Record<string, string> {
  return value === undefined ? {} : { vary: value };
}
