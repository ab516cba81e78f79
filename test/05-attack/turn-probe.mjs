/**
 * Loaded into the service with `--import`: measures the CPU time that its main thread uses between two turns of the
 * event loop, and tells the longest. A timer of 1 ms fires once a turn at most, so what is measured is the longest
 * run without yielding and up to a millisecond of shorter ones before it.
 *
 * `GET /worst` gives the longest since it was asked last, in milliseconds; `GET /memory` what is in use after a
 * garbage collection, in bytes.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

const port = process.env.TURN_PROBE_PORT;
if (port && isMainThread) {
  // Processes that this one starts are not measured.
  delete process.env.TURN_PROBE_PORT;
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  const file = `/proc/self/task/${process.pid}/schedstat`;
  const cpu = () => Number(readFileSync(file, 'utf8').split(' ', 1)[0]) / 1e6;
  let last = cpu();
  let worst = 0;
  const turn = () => {
    const now = cpu();
    if (now - last > worst) worst = now - last;
    last = now;
    setTimeout(turn, 1).unref();
  };
  turn();
  const server = createServer((request, response) => {
    if (request.url === '/worst') {
      response.end(JSON.stringify(worst));
      worst = 0;
      return;
    }
    collect();
    const { heapUsed, external } = process.memoryUsage();
    response.end(JSON.stringify(heapUsed + external));
    last = cpu();
  });
  // A kept connection that is closed while a question is on its way would look like the end of the service.
  server.keepAliveTimeout = 0;
  server.listen(Number(port), '127.0.0.1').unref();
}
