import type { LRUCache } from 'lru-cache';
import { boundedCache } from '../../config/bounded-cache.ts';
import { ENCODER_VERSION } from '../../workers/images/encoder-version.ts';
import { assetFileTag } from '../changes/tags.ts';
import { ServiceError } from '../errors.ts';
import { entityTag } from '../http/entity-tag.ts';
import type { CoreAnswer, CoreRequest } from '../http/request.ts';
import { splitPath } from '../http/split-path.ts';
import { requestLogFields } from '../http/trace.ts';
import { acceptsWebp } from '../images/accepts-webp.ts';
import type { ImageHeader } from '../images/header/image-header.ts';
import type { ImageRequest, ImageResults } from '../images/image-results.ts';
import { uprightSource } from '../images/image-source.ts';
import { type ImageSettings, isLarge, isWithinLimits } from '../images/limits.ts';
import { planImage } from '../images/plan-image.ts';
import { planKey } from '../images/plan-key.ts';
import { type ImageParameters, readParameters } from '../images/read-parameters.ts';
import { ResultCache } from '../images/result-cache.ts';
import type { Blobs } from '../storage/blobs/blobs.ts';
import type { Reader } from '../storage/ports.ts';
import { contentAnswer, fromMemory, unchanged } from './content-answer.ts';
import { attachment, isActive } from './disposition.ts';
import { findServedFile, type KnownFacts, type ServedFile } from './served-file.ts';

/** Uploads are checked for it; archives and databases of other installations were not. */
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/;

export interface AssetContext {
  readonly reader: Reader;
  readonly blobs: Blobs;
  readonly facts: KnownFacts;
  readonly results: ImageResults;
  readonly limits: ImageSettings;
  /** Images that were requested recently, by path; their files may be deleted by now. */
  readonly recent: LRUCache<string, RecentImage>;
}

export interface RecentImage {
  readonly hash: string;
  readonly image: ImageHeader;
}

/** Paths; some 300 bytes each. */
const RECENT = 20_000;

export function recentImages(): LRUCache<string, RecentImage> {
  return boundedCache(RECENT);
}

/**
 * `GET /{project}/{file}/{name}?w=…`: an uploaded file, or an image transformed by the parameters. A file never changes
 * under its id, so answers may be cached for good.
 */
export async function serveFile(context: AssetContext, request: CoreRequest): Promise<CoreAnswer> {
  const [project = '', id = '', name = '', ...rest] = splitPath(request.path);
  if (request.method !== 'GET' && request.method !== 'HEAD')
    throw new ServiceError('methodNotAllowed', 'Files can be read with GET only.', {
      headers: { allow: 'GET, HEAD, OPTIONS' },
    });
  const parameters = readParameters(request.query);
  try {
    refuseEarly(context, request, parameters);
    const file = rest.length === 0 ? await findServedFile(context.reader, project, id) : undefined;
    if (file?.name !== name || file === undefined)
      throw new ServiceError('noSuchResource', 'The requested file was not found.');
    return await answer(context, request, file, parameters);
  } catch (error) {
    throw parameters.auto && error instanceof ServiceError ? varying(error) : error;
  }
}

/**
 * When too many new sizes are requested, most requests are refused. For images known here that happens before anything
 * is read, at half the CPU time. Requests with `If-None-Match` are not refused here: the client may have the answer.
 *
 * @throws unavailable
 */
function refuseEarly(context: AssetContext, request: CoreRequest, parameters: ImageParameters): void {
  const recent = context.recent.get(request.path);
  if (recent === undefined || request.headers['if-none-match'] !== undefined) return;
  const transformation = transformationFor(context, request, parameters, recent);
  const refusal = transformation && context.results.refusal(transformation.key);
  if (refusal) throw refusal;
}

async function answer(
  context: AssetContext,
  request: CoreRequest,
  file: ServedFile,
  parameters: ImageParameters,
): Promise<CoreAnswer> {
  const { sniffed, image } = await context.facts.of(file.hash);
  const isDownload = isActive(file.type, sniffed);
  const common = {
    headers: {
      // On every answer of the URL, the original too: caches use the first one they see.
      ...(parameters.auto && { vary: 'Accept' }),
      ...(isDownload && { 'content-disposition': attachment(file.name) }),
    },
    tags: [assetFileTag(file.id)],
    sequence: file.sequence,
  };
  if (image) context.recent.set(request.path, { hash: file.hash, image });
  const transformation = image && transformationFor(context, request, parameters, { hash: file.hash, image });
  if (transformation && !context.results.isRefused(transformation.key)) {
    const etag = entityTag(transformation.parts);
    const same = unchanged(request, { ...common, etag });
    if (same) return same;
    const began = performance.now();
    const run = { signal: request.signal, origin: requestLogFields(request) };
    const result = await context.results.result(transformation, run).finally(() => {
      if (request.timing) request.timing.workers += performance.now() - began;
    });
    if (result !== 'refused') {
      const { type, body } = result;
      const { 'content-disposition': _, ...headers } = common.headers;
      return contentAnswer(request, { ...common, headers, type, etag, ...fromMemory(body) });
    }
  }
  return contentAnswer(request, {
    ...common,
    type: MEDIA_TYPE.test(file.type) ? file.type : 'application/octet-stream',
    etag: `"${file.hash.slice(0, 32)}"`,
    size: file.size,
    read: (range) => context.blobs.read(file.hash, range),
    stream: (range) => context.blobs.open(file.hash, range),
  });
}

interface Transformation extends ImageRequest {
  /** Everything that the result depends on. */
  readonly parts: readonly string[];
}

/** Undefined: the answer is the original file. */
function transformationFor(
  { limits }: AssetContext,
  request: CoreRequest,
  parameters: ImageParameters,
  { hash, image }: RecentImage,
): Transformation | undefined {
  const source = uprightSource(image);
  const plan = planImage(parameters, source, parameters.auto && acceptsWebp(request.headers['accept']));
  if (plan === 'original' || !isWithinLimits(plan, source, limits)) return undefined;
  const parts = [hash, planKey(plan), ENCODER_VERSION];
  return { hash, plan, parts, isLarge: isLarge(plan, source), key: ResultCache.key(parts) };
}

function varying(error: ServiceError): ServiceError {
  if (error.headers['vary'] !== undefined) return error;
  return new ServiceError(error.errorName, error.message, {
    headers: { ...error.headers, vary: 'Accept' },
    cause: error.cause,
  });
}
