/** Loaded with `node --require`: the probes are modules, which may only be loaded after the bin has set up the pool of threads. */
'use strict';
setImmediate(() => {
  Promise.all([import('../support/measure/watch.mjs'), import('./memory-probe.mjs')]);
});
