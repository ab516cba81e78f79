/** The service with the harbour project in it, and clients with its base URL. */
import { type ApiClient, createApiClient } from '../clients/api-client.ts';
import type { JsonItem } from '../oracle/item-json.ts';
import { TwinProject } from '../random/twin-project.ts';
import { type RunningService, type ServiceOptions, startService } from '../service/start-service.ts';
import { HARBOUR } from './harbour-project.ts';

export interface Pagination {
  readonly skip: number;
  readonly limit: number;
  readonly count: number;
  readonly total_count?: number;
  readonly next_page: string;
}

export interface Listing {
  readonly items: readonly JsonItem[];
  readonly modular_content: Readonly<Record<string, JsonItem>>;
  readonly pagination: Pagination;
}

export interface Single {
  readonly item: JsonItem;
  readonly modular_content: Readonly<Record<string, JsonItem>>;
}

export interface ErrorBody {
  readonly message: string;
  readonly request_id: string;
  readonly error_code: number;
  readonly specific_code: number;
}

export interface HarbourService {
  readonly service: RunningService;
  readonly project: TwinProject;
  /** Of the project: paths start behind its id. */
  readonly delivery: ApiClient;
  /** With a preview key. */
  readonly preview: ApiClient;
  stop(): Promise<void>;
}

export async function startHarbour(options: ServiceOptions = {}): Promise<HarbourService> {
  const service = await startService(options);
  const project = await TwinProject.create(service.core, 'Harbour', service.mediaType);
  for (const batch of HARBOUR) await project.apply(batch);
  const authorization = `Bearer ${project.previewKey}`;
  return {
    service,
    project,
    delivery: createApiClient(`${service.url}/delivery/${project.id}`, { surface: 'delivery' }),
    preview: createApiClient(`${service.url}/preview/${project.id}`, {
      surface: 'preview',
      headers: { authorization },
    }),
    stop: () => service.stop(),
  };
}

export function codenames(listing: Pick<Listing, 'items'>): string[] {
  return listing.items.map(({ system }) => system.codename);
}
