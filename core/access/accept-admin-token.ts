import { StartError } from '../../config/start-error.ts';
import type { Storage } from '../storage/ports.ts';
import { type AdminToken, storeAdminToken, storedAdminToken } from './admin-token.ts';

/**
 * Stores the hash of this core's token for the installation; creates a token where the operator has none.
 * @throws StartError if other cores run with another token
 */
export async function acceptAdminToken(
  storage: Storage,
  token: AdminToken,
  othersRun: boolean,
): Promise<void> {
  const current = () => storedAdminToken(storage.sql);
  const stored = await current();
  const own = await token.find(stored);
  if (own !== undefined && own === stored) return;
  if (stored !== null && othersRun)
    throw new StartError(
      'Another core of this installation runs with another admin token; give every core the same one (adminToken, HEADWATER_ADMIN_TOKEN or HEADWATER_ADMIN_TOKEN_FILE).',
    );
  const store = (hash: string) => storage.write((tx) => storeAdminToken(tx, hash));
  if (own === undefined) await token.replace(store, current);
  else await store(own);
}
