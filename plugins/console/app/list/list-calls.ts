import type { ApiCall } from '../parts/api-snippets.ts';
import { PAGE } from './list-query.ts';
import type { ListState } from './list-state.ts';

/** Orders of the list that delivery has as well. */
const ORDERS: Readonly<Record<string, string>> = {
  name: 'system.name',
  changed: 'system.last_modified',
  type: 'system.type',
};

/**
 * The list as requests of the APIs. Delivery and preview know the type, the language and some orders, but neither
 * states nor full text; the listing of the admin API knows all of it.
 *
 * @param language codename; undefined: the default one
 */
export function listCalls(state: ListState, language: string | undefined): readonly ApiCall[] {
  const types = state.get('type');
  const order = state.get('order');
  const direction = state.get('descending') === 'true' ? 'desc' : 'asc';
  const sorted = order.startsWith('elements.') ? order : (ORDERS[order === '' ? 'name' : order] ?? '');
  const filters: [string, string][] = [];
  const client = ['.items()'];
  if (language !== undefined) {
    filters.push(['language', language]);
    client.push(`.languageParameter(${JSON.stringify(language)})`);
  }
  if (types.includes(',')) {
    filters.push(['system.type[in]', types]);
    client.push(`.inFilter('system.type', ${JSON.stringify(types.split(','))})`);
  } else if (types !== '') {
    filters.push(['system.type', types]);
    client.push(`.type(${JSON.stringify(types)})`);
  }
  if (sorted !== '') {
    filters.push(['order', `${sorted}[${direction}]`]);
    client.push(
      `.orderParameter(${JSON.stringify(sorted)}, ${direction === 'asc' ? 'SortOrder.asc' : 'SortOrder.desc'})`,
    );
  }
  filters.push(['limit', String(PAGE)]);
  client.push(`.limitParameter(${PAGE})`);
  const path = `/items?${new URLSearchParams(filters)}`;
  const shared = { path, client: client.join('') };
  return [
    { api: 'delivery', ...shared },
    { api: 'preview', ...shared },
    { api: 'manage', path: '/items', client: '.listContentItems()' },
    { api: 'admin', path: `/content?${state.query === '' ? '' : `${state.query}&`}limit=${PAGE}` },
  ];
}
