import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from './processes.ts';

/**
 * Loads a module of the product as it was built. What is measured must not run from source: the loader wraps
 * every function to keep its name, which costs time at each closure.
 *
 * @param path from the root, without extension: `core/compose/create-core`
 */
export async function built<Module>(path: string): Promise<Module> {
  return (await import(pathToFileURL(join(ROOT, '.build', `${path}.js`)).href)) as Module;
}
