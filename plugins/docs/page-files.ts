import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

export interface PageFile {
  readonly type: string;
  readonly text: string;
  /** Strong validator, quoted. */
  readonly etag: string;
}

const TYPES = {
  'explorer.css': 'text/css; charset=utf-8',
  'explorer.svg': 'image/svg+xml',
  'explorer.mjs': 'text/javascript; charset=utf-8',
  'answer-view.mjs': 'text/javascript; charset=utf-8',
  'description.mjs': 'text/javascript; charset=utf-8',
  'dom.mjs': 'text/javascript; charset=utf-8',
  'filter-builder.mjs': 'text/javascript; charset=utf-8',
  'json-view.mjs': 'text/javascript; charset=utf-8',
  'operation-form.mjs': 'text/javascript; charset=utf-8',
} as const;

/** Parts of the explorer page by file name, and the page itself with its placeholders. */
export async function pageFiles(): Promise<{ files: ReadonlyMap<string, PageFile>; html: string }> {
  const folder = pageFolder();
  const read = (name: string) => readFile(new URL(name, folder), 'utf8');
  const entries = await Promise.all(
    Object.entries(TYPES).map(async ([name, type]) => {
      const text = await read(name);
      return [name, { type, text, etag: etagOf(text) }] as const;
    }),
  );
  return { files: new Map(entries), html: await read('explorer.html') };
}

export function etagOf(text: string): string {
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
}

/** The build holds code only, so from there the page is found below the folder of package.json. */
function pageFolder(): URL {
  let root = new URL('./', import.meta.url);
  while (!existsSync(fileURLToPath(new URL('package.json', root)))) {
    const parent = new URL('../', root);
    if (parent.href === root.href) throw new Error('The files of the explorer page were not found.');
    root = parent;
  }
  return new URL('plugins/docs/page/', root);
}
