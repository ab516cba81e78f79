import { ENCODER_VERSION } from '../../workers/images/encoder-version.ts';
import type { ImagePlan } from '../../workers/images/image-transform.ts';
import type { CoreAnswer, CoreRequest } from '../contract.ts';
import { entityTag } from '../entity-tag.ts';
import { ServiceError } from '../errors.ts';
import { acceptsWebp } from '../images/accepts-webp.ts';
import type { ImageHeader } from '../images/header/image-header.ts';
import type { ImageResults } from '../images/image-results.ts';
import { uprightSource } from '../images/image-source.ts';
import { type ImageSettings, isWithinLimits } from '../images/limits.ts';
import { planImage } from '../images/plan-image.ts';
import { planKey } from '../images/plan-key.ts';
import { type ImageParameters, readParameters } from '../images/read-parameters.ts';
import { ResultCache } from '../images/result-cache.ts';
import { splitPath } from '../split-path.ts';
import type { Blobs } from '../storage/blobs/blobs.ts';
import type { Storage } from '../storage/ports.ts';
import { contentAnswer, fromMemory, unchanged } from './content-answer.ts';
import { attachment, isActive } from './disposition.ts';
import { findServedFile, type KnownFacts, type ServedFile } from './served-file.ts';

/** What uploads are held to; an archive or a database from elsewhere was not. */
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/;

export interface AssetContext {
  readonly storage: Storage;
  readonly blobs: Blobs;
  readonly facts: KnownFacts;
  readonly results: ImageResults;
  readonly limits: ImageSettings;
}

/**
 * `GET /{project}/{file}/{name}?w=…`: an uploaded file, or what the parameters make of a picture. A file never
 * changes under its id, so answers may be kept for good.
 */
export async function serveFile(context: AssetContext, request: CoreRequest): Promise<CoreAnswer> {
  const [project = '', id = '', name = '', ...rest] = splitPath(request.path);
  if (request.method !== 'GET' && request.method !== 'HEAD')
    throw new ServiceError('methodNotAllowed', 'Files can be read with GET only.', {
      headers: { allow: 'GET, HEAD, OPTIONS' },
    });
  const parameters = readParameters(request.query);
  const file = rest.length === 0 ? await findServedFile(context.storage, project, id) : undefined;
  try {
    if (file?.name !== name || file === undefined)
      throw new ServiceError('noSuchResource', 'The requested file was not found.');
    return await answer(context, request, file, parameters);
  } catch (error) {
    throw parameters.auto && error instanceof ServiceError ? varying(error) : error;
  }
}

async function answer(
  context: AssetContext,
  request: CoreRequest,
  file: ServedFile,
  parameters: ImageParameters,
): Promise<CoreAnswer> {
  const { sniffed, picture } = await context.facts.of(file.hash);
  const isDownload = isActive(file.type, sniffed);
  const common = {
    headers: {
      // Every answer of the URL says so, the original too: caches go by the first one they see.
      ...(parameters.auto && { vary: 'Accept' }),
      ...(isDownload && { 'content-disposition': attachment(file.name) }),
    },
    tags: [`asset-file:${file.id}`],
    sequence: file.sequence,
  };
  const plan = picture && planFor(context, request, parameters, picture);
  if (plan) {
    const parts = [file.hash, planKey(plan), ENCODER_VERSION];
    const key = ResultCache.key(parts);
    if (!context.results.isRefused(key)) {
      const etag = entityTag(parts);
      const same = unchanged(request, { ...common, etag });
      if (same) return same;
      const result = await context.results.result({ hash: file.hash, plan, key });
      if (result !== 'refused') {
        const { type, body } = result;
        const { 'content-disposition': _, ...headers } = common.headers;
        return contentAnswer(request, { ...common, headers, type, etag, ...fromMemory(body) });
      }
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

/** Undefined: the original, which needs no worker to be decided. */
function planFor(
  { limits }: AssetContext,
  request: CoreRequest,
  parameters: ImageParameters,
  picture: ImageHeader,
): ImagePlan | undefined {
  const source = uprightSource(picture);
  const plan = planImage(parameters, source, parameters.auto && acceptsWebp(request.headers['accept']));
  return plan !== 'original' && isWithinLimits(plan, source, limits) ? plan : undefined;
}

function varying(error: ServiceError): ServiceError {
  if (error.headers['vary'] !== undefined) return error;
  return new ServiceError(error.errorName, error.message, {
    headers: { ...error.headers, vary: 'Accept' },
    cause: error.cause,
  });
}
