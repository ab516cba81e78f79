/**
 * Loaded into a server with `node --import`: finds the longest time for which its main thread ran without letting
 * anybody else have a turn, in CPU time, since on a busy machine the clock on the wall tells of the machine. A timer
 * notes the CPU time every millisecond, so what lies between two notes is one turn of the event loop, or several
 * that were shorter than a millisecond.
 *
 * Every connection to the socket RUN_WATCH is answered with `{"longest": ms, "cpu": ms so far}`, and a new
 * measurement begins.
 */
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { mainThreadCpu } from './cpu.mjs';

const path = process.env.RUN_WATCH;
// The processes it starts inherit the settings of Node.
if (path !== undefined && process.argv[2] === 'serve') watch(path);

/** @param {string} socket */
function watch(socket) {
  let last = mainThreadCpu();
  let longest = 0;
  setInterval(() => {
    const now = mainThreadCpu();
    longest = Math.max(longest, now - last);
    last = now;
  }, 1).unref();
  // A launcher waits for the server proper and has bound it before.
  rmSync(socket, { force: true });
  createServer((connection) => {
    connection.on('error', () => {});
    // The run that is going on, which answers others as well, is in the next note.
    setTimeout(() => {
      connection.end(JSON.stringify({ longest, cpu: mainThreadCpu() }));
      longest = 0;
    }, 5);
  })
    .listen(socket)
    .unref();
}
