/** Plain JavaScript with built-in modules only, because the preparation of a fresh clone needs it. */
import { existsSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Whether Node was started with this module, perhaps through a symbolic link: `isProgram(import.meta.url)`. */
export function isProgram(url) {
  const [, started] = process.argv;
  return (
    started !== undefined && existsSync(started) && realpathSync(started) === realpathSync(fileURLToPath(url))
  );
}
