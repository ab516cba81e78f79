import { createRequire } from 'node:module';
import type * as undici from 'undici';

const require = createRequire(import.meta.url);

/**
 * The package as a whole loads `fetch`, WebSocket and caches too: 9 MB and 35 ms of every gateway. It has no narrower entry;
 * its version is exact in `package.json`.
 */
export const UndiciClient = require('undici/lib/dispatcher/client.js') as typeof undici.Client;
export const UndiciPool = require('undici/lib/dispatcher/pool.js') as typeof undici.Pool;

// As the entry of the package does: `request` is defined apart from the classes.
Object.assign(
  (require('undici/lib/dispatcher/dispatcher.js') as typeof undici.Dispatcher).prototype,
  require('undici/lib/api'),
);
