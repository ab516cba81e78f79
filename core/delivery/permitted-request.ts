import { requirePermission } from '../access/permissions.ts';
import type { Person } from '../access/sessions.ts';
import { ServiceError } from '../errors.ts';
import type { CoreRequest } from '../http/request.ts';
import { splitPath } from '../http/split-path.ts';
import type { Sql } from '../storage/sql.ts';
import { type ContentScope, isEverything } from '../transaction/content-access.ts';

/** Collections that are no content: roles limit content, not the model. */
const MODEL: ReadonlySet<string> = new Set(['types', 'taxonomies', 'languages']);

/**
 * A request of delivery or preview, kept to what a person may view.
 * @throws forbidden
 */
export async function permittedRequest(sql: Sql, person: Person, request: CoreRequest): Promise<CoreRequest> {
  const [project = '', collection = ''] = splitPath(request.path);
  const access = await requirePermission(sql, person, project, 'view-content');
  if (access === undefined || MODEL.has(collection)) return request;
  return { ...request, query: permittedQuery(request.query, access['view-content']) };
}

/**
 * A query of delivery or preview, kept to what a person may view. Linked items are left out where types or languages
 * are limited: they may be of others.
 * @throws forbidden where the language is not given, or none of its content is permitted
 */
export function permittedQuery(query: string, scopes: readonly ContentScope[]): string {
  if (scopes.some(isEverything)) return query;
  const parameters = new URLSearchParams(query);
  const language = parameters.get('language') ?? '';
  const fitting = scopes.filter(({ languages }) => languages === null || languages.includes(language));
  if (fitting.length === 0)
    throw new ServiceError(
      'forbidden',
      language === ''
        ? "Your roles in this project are limited to languages: give the parameter 'language'."
        : `Your roles in this project do not include 'view-content' for the language '${language}'.`,
    );
  // The address of the next page has them already: a query with one more for each page would get too long.
  const add = (name: string, value: string) => {
    if (!parameters.has(name, value)) parameters.append(name, value);
  };
  parameters.set('depth', '0');
  if (fitting.some(({ languages }) => languages !== null)) add('system.language', language);
  if (fitting.every(({ types }) => types !== null)) {
    const types = new Set(fitting.flatMap(({ types: own }) => own ?? []));
    add('system.type[in]', [...types].join(','));
  }
  return parameters.toString();
}
