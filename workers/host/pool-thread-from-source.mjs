/**
 * The thread of a host that runs from source, as in tests. Threads do not take the loader of their process with
 * them, so this one brings its own; the build has no need for it.
 */
import { register } from 'tsx/esm/api';

register();
export const { runJob } = await import('./pool-thread.ts');
