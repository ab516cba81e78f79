/**
 * How many threads V8 has beside the main thread, for garbage collection and compilation. Node starts four wherever it
 * runs. They have the main thread's priority, so on few cores it waits for them.
 */
'use strict';
const { availableParallelism } = require('node:os');

const NODE_DEFAULT = 4;

/** Flags for `node`: a thread for each core but one. Later flags and those of the operator replace them. */
function v8ThreadFlags() {
  if ((process.env.NODE_OPTIONS ?? '').includes('--v8-pool-size')) return [];
  const threads = Math.max(1, availableParallelism() - 1);
  return threads < NODE_DEFAULT ? [`--v8-pool-size=${threads}`] : [];
}

module.exports = { v8ThreadFlags };
