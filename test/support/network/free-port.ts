import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that the system gives to connections and to listeners of any port (32768 and higher on Linux). */
const FIRST = 10_000;
/** Files that run at a time have ports of their own, so that no two find the same one free. */
const OF_WORKER = 5000;
const first = FIRST + OF_WORKER * (Number(process.env['MOCHA_WORKER_ID'] ?? 3) % 4);
/** No browser and no `fetch` connects to it (https://fetch.spec.whatwg.org/#port-blocking); the only one from `FIRST` on. */
const BLOCKED = 10_080;
let next = Math.floor(Math.random() * OF_WORKER);

/** A port of 127.0.0.1 that was free a moment ago, and is not given again soon. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < OF_WORKER; tries += 1) {
    const port = first + (next++ % OF_WORKER);
    if (port === BLOCKED) continue;
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await Promise.race([
      once(server, 'listening').then(() => true),
      once(server, 'error').then(() => false),
    ]).catch(() => false);
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
  throw new Error(`No port from ${first} to ${first + OF_WORKER - 1} is free.`);
}
