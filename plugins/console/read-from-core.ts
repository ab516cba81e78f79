import type { CoreRequest, Principal } from '../../core/contract.ts';
import type { PluginServices } from '../contract.ts';

/** What core answers to a GET of the console itself. */
export async function readFromCore<T>(
  { core, ids }: Pick<PluginServices, 'ids'> & { readonly core: Pick<PluginServices['core'], 'handle'> },
  surface: CoreRequest['surface'],
  path: string,
  principal: Principal,
  query = '',
): Promise<T> {
  const { body } = await core.handle({
    surface,
    method: 'GET',
    path,
    query,
    headers: {},
    bases: { self: '', assets: '' },
    principal,
    requestId: ids.newId(),
  });
  const pieces: Uint8Array[] = [];
  for await (const piece of body ?? []) pieces.push(piece);
  return JSON.parse(Buffer.concat(pieces).toString()) as T;
}
