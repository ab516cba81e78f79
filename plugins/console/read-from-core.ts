import type { CoreRequest, Principal } from '../../core/contract.ts';
import type { PluginServices } from '../contract.ts';

type Services = Pick<PluginServices, 'ids'> & { readonly core: Pick<PluginServices['core'], 'handle'> };

/** What core answers to a GET of the console itself. */
export async function readFromCore<T>(
  services: Services,
  surface: CoreRequest['surface'],
  path: string,
  principal: Principal,
  query = '',
): Promise<T> {
  const request = { surface, path, query, principal, bases: { self: '', assets: '' } };
  return JSON.parse(await textFromCore(services, request)) as T;
}

/** The text of core's answer to a GET of the console itself. @throws ServiceError; what its signal fired with */
export async function textFromCore(
  { core, ids }: Services,
  request: Pick<CoreRequest, 'surface' | 'path' | 'query' | 'principal' | 'bases' | 'signal'>,
): Promise<string> {
  const { body } = await core.handle({ ...request, method: 'GET', headers: {}, requestId: ids.newId() });
  const pieces: Uint8Array[] = [];
  for await (const piece of body ?? []) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}
