import { existsSync } from 'node:fs';

let folder: URL | undefined;

/** Where `package.json` is: above the sources, and above the build, which holds code only. */
export function programFolder(): URL {
  folder ??= findFolder();
  return folder;
}

function findFolder(): URL {
  let above = new URL('.', import.meta.url);
  while (!existsSync(new URL('package.json', above))) {
    const next = new URL('..', above);
    if (next.href === above.href) throw new Error('The folder of package.json was not found.');
    above = next;
  }
  return above;
}
