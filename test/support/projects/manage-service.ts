/** The harbour project with a management key, and clients of both versions of the management API. */
import { createManagementKey } from '../../../core/access/projects.ts';
import { createUser } from '../../../core/access/users.ts';
import { type ApiAnswer, createApiClient, isBytes } from '../clients/api-client.ts';
import type { ServiceOptions } from '../service/start-service.ts';
import { type HarbourService, startHarbour } from './harbour-service.ts';

export interface ManageError {
  readonly request_id: string;
  readonly error_code: number;
  readonly message: string;
  readonly validation_errors?: readonly {
    readonly message: string;
    readonly path?: string;
    readonly line?: number;
    readonly position?: number;
  }[];
}

/** Sends what it is given as JSON; text and bytes as they are. */
export interface ManageClient {
  /** Of the project, as calls are made. */
  readonly baseUrl: string;
  get<Body = Record<string, unknown>>(path: string, headers?: Headers): Promise<ApiAnswer<Body>>;
  post<Body = Record<string, unknown>>(
    path: string,
    body?: unknown,
    headers?: Headers,
  ): Promise<ApiAnswer<Body>>;
  put<Body = Record<string, unknown>>(
    path: string,
    body?: unknown,
    headers?: Headers,
  ): Promise<ApiAnswer<Body>>;
  patch<Body = Record<string, unknown>>(
    path: string,
    body?: unknown,
    headers?: Headers,
  ): Promise<ApiAnswer<Body>>;
  delete<Body = Record<string, unknown>>(path: string, headers?: Headers): Promise<ApiAnswer<Body>>;
}

type Headers = Readonly<Record<string, string>>;

export interface ManageService extends HarbourService {
  readonly user: string;
  readonly key: string;
  readonly v2: ManageClient;
  readonly v1: ManageClient;
}

/** Tests call as fast as they can, so the rate limit is off by default. */
export async function startManage(options: ServiceOptions = {}): Promise<ManageService> {
  const harbour = await startHarbour({ unlimited: true, ...options });
  const { service, project } = harbour;
  const { user, key } = await managementKey(harbour.service.core, project.id);
  const client = (version: string) =>
    manageClient(`${service.url}/manage/${version}/projects/${project.id}`, key);
  return { ...harbour, user, key, v2: client('v2'), v1: client('v1') };
}

/** A user who may manage the project, with a key. */
export async function managementKey(
  core: HarbourService['service']['core'],
  project: string,
): Promise<{ readonly user: string; readonly key: string }> {
  return core.operations.installation(null, async (installation) => {
    const user = await createUser(installation, {
      name: 'Editor',
      email: 'editor@example.com',
      projects: [{ id: project, capabilities: ['manage-apis'] }],
    });
    const { key } = await createManagementKey(installation, project, user.id);
    return { user: user.id, key };
  });
}

export function manageClient(baseUrl: string, key: string): ManageClient {
  const client = createApiClient(baseUrl, {
    surface: 'manage',
    headers: { authorization: `Bearer ${key}` },
  });
  function send<Body>(method: string, path: string, body: unknown, headers: Headers = {}) {
    const isReady = typeof body === 'string' || isBytes(body);
    return client.request<Body>(method, path, {
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: isReady ? body : JSON.stringify(body) }),
    });
  }
  return {
    baseUrl: client.baseUrl,
    get: (path, headers) => send('GET', path, undefined, headers),
    post: (path, body, headers) => send('POST', path, body, headers),
    put: (path, body, headers) => send('PUT', path, body, headers),
    patch: (path, body, headers) => send('PATCH', path, body, headers),
    delete: (path, headers) => send('DELETE', path, undefined, headers),
  };
}
