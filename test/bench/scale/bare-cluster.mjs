/**
 * Bare `node:http` servers behind one port, for what further processes gain on this machine.
 *
 *     node bare-cluster.mjs <port> <processes> <bytes of the answer>
 */
import cluster from 'node:cluster';
import { createServer } from 'node:http';

const [, , port, processes, bytes] = process.argv.map(Number);
const body = Buffer.alloc(bytes, 'x');

if (cluster.isPrimary) {
  for (let number = 0; number < processes; number += 1) cluster.fork();
} else {
  createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
    response.end(body);
  }).listen(port, '127.0.0.1');
}
