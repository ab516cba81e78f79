/**
 * Loaded into the service with `node --import`: every connection to the socket MEMORY_PROBE is answered with the bytes
 * of JavaScript that are in use after a garbage collection.
 */
import { createServer } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const path = process.env.MEMORY_PROBE;
// The processes it starts inherit the settings of Node.
if (path !== undefined && process.argv[2] === 'serve') {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  createServer((connection) => {
    connection.on('error', () => {});
    collect();
    const { heapUsed, external } = process.memoryUsage();
    connection.end(JSON.stringify(heapUsed + external));
  })
    .listen(path)
    .unref();
}
