import { queryOptions, useQuery } from '@tanstack/preact-query';
import { ApiError, callFor, get, isPageUser, sessionEnded } from './api.ts';

export interface Session {
  readonly person: {
    readonly id: string;
    readonly name: string;
    readonly email: string;
    readonly is_operator: boolean;
  };
  readonly projects: readonly SessionProject[];
}

export interface SessionProject {
  readonly id: string;
  readonly name: string;
  readonly permissions: readonly string[];
  /** Of the permissions that are only for some content: codenames of types and languages; null = all. */
  readonly limits: Readonly<Record<string, readonly ContentScope[]>>;
}

export interface ContentScope {
  readonly types: readonly string[] | null;
  readonly languages: readonly string[] | null;
}

/**
 * Whether the person may do something with content, as the server decides it.
 * @param type codename; `all`, `some` as `core/transaction/content-access.ts` has them
 */
export function permits(
  project: SessionProject | undefined,
  permission: string,
  type = 'some',
  language = 'some',
): boolean {
  if (!project?.permissions.includes(permission)) return false;
  const scopes = project.limits[permission];
  const includes = (codenames: readonly string[] | null, one: string) =>
    codenames === null || one === 'some' || codenames.includes(one);
  return (
    scopes === undefined ||
    scopes.some((scope) => includes(scope.types, type) && includes(scope.languages, language))
  );
}

export const SESSION = ['session'] as const;

/** @throws ApiError with status 401 also where another person has signed in since the page was made */
async function readSession(): Promise<Session> {
  const session = await get<Session>('session');
  const { id } = session.person;
  if (!isPageUser(id)) {
    sessionEnded.value = true;
    throw new ApiError(401, '');
  }
  callFor(id);
  return session;
}

export const SESSION_QUERY = queryOptions({
  queryKey: SESSION,
  queryFn: readSession,
  // It is asked for before the first drawing: that no one is signed in is not asked again.
  retryOnMount: false,
  meta: { follows: ['project', 'role', 'user'] },
});

/** Who is signed in. An error with status 401: no one. */
export const useSession = () => useQuery(SESSION_QUERY);
