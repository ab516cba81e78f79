import type { CommittedTagVersions } from '../changes/committed-tag-versions.ts';
import { ServiceError } from '../errors.ts';
import type { Channel, ProjectModel } from '../model/model.ts';
import type { ModelCache } from '../model/model-cache.ts';
import type { CompiledSettings } from '../read-model/compiled-settings.ts';
import type { Reader } from '../storage/ports.ts';
import type { DocumentCache } from './document-cache.ts';
import type { ListingCache } from './listing-cache.ts';
import type { QueryCache } from './query-cache.ts';

/** What the handlers of delivery and preview share. */
export interface DeliveryContext {
  /** Reads for one request. */
  readonly storage: Reader;
  readonly models: ModelCache;
  readonly queries: QueryCache;
  readonly listings: ListingCache;
  readonly documents: DocumentCache;
  readonly versions: CommittedTagVersions;
  /** Whether `versions` have every commit that the answer has to show. */
  readonly hasCommits: () => boolean;
  readonly settings: CompiledSettings;
  /** How often a page is read because the model changed meanwhile. */
  readonly attempts: number;
  /** Units one query may be estimated to cost; null = any number. */
  readonly queryCost: number | null;
}

/** One request to delivery or preview, its path parsed. */
export interface DeliveryRequest {
  readonly channel: Channel;
  readonly project: string;
  /** Path segments behind the project, decoded. */
  readonly segments: readonly string[];
  readonly query: string;
  /** Public address of the resource without its query. */
  readonly address: string;
  readonly assetBase: string;
  /** `If-None-Match` as received. */
  readonly ifNoneMatch: string | undefined;
  readonly continuation: string | undefined;
  /** All that is read for the answer is at least as new. */
  readonly sequence: number;
}

/** Changes of a model, one after the other, may each fall into the reading of a page on a busy machine. */
export const MODEL_ATTEMPTS = 20;

/** Runs `read` with a model, and again with a newer one when it returns undefined: the model changed. */
export async function withModel<T>(
  { models, attempts }: DeliveryContext,
  project: string,
  read: (model: ProjectModel) => Promise<T | undefined>,
): Promise<T> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const model = await models.recent(project);
    const result = await read(model);
    if (result !== undefined) return result;
    models.forget(model);
  }
  throw new ServiceError('unavailable', 'The content model changes all the time; try again shortly.', {
    headers: { 'retry-after': '1' },
  });
}
