import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { programFolder } from '../../config/program-folder.ts';

export interface PageFile {
  readonly type: string;
  /** Text, or the bytes of an image. */
  readonly content: string | Uint8Array;
  /** Strong validator, quoted. */
  readonly etag: string;
}

const TYPES = {
  'guide.css': 'text/css; charset=utf-8',
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

/** Titles of the guides by name: `guide.html` is around the file of each. */
const GUIDES = {
  editors: 'For editors',
  operators: 'For operators',
  accessibility: 'Accessibility',
} as const;

export interface Pages {
  /** By path below that of the surface. */
  readonly files: ReadonlyMap<string, PageFile>;
  /** HTML with its placeholders, by path. */
  readonly html: ReadonlyMap<string, string>;
}

/** The pages with the files that they load. */
export async function pageFiles(): Promise<Pages> {
  const folder = new URL('plugins/docs/page/', programFolder());
  const read = (name: string) => readFile(new URL(name, folder), 'utf8');
  const files = new Map<string, PageFile>();
  const add = (name: string, type: string, content: PageFile['content']) =>
    files.set(`/${name}`, { type, content, etag: etagOf(content) });
  for (const [name, type] of Object.entries(TYPES)) add(name, type, await read(name));
  for (const name of await readdir(new URL('images/', folder)))
    add(`images/${name}`, 'image/webp', await readFile(new URL(`images/${name}`, folder)));
  const html = new Map([['/', await read('explorer.html')]]);
  const guide = await read('guide.html');
  for (const [name, title] of Object.entries(GUIDES)) {
    const content = await read(`${name}.html`);
    const link = `href="{{base}}/${name}"`;
    const page = guide.replace('{{page}}', title).replace(link, `${link} aria-current="page"`);
    html.set(
      `/${name}`,
      page.replace('{{content}}', () => content),
    );
  }
  return { files, html };
}

export function etagOf(content: PageFile['content']): string {
  return `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
}
