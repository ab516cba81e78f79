import { readFile } from 'node:fs/promises';
import { programFolder } from '../../config/program-folder.ts';
import type { Encoding } from '../http/accept-encoding.ts';

export interface AppFile {
  readonly type: string;
  readonly bodies: Readonly<Record<Encoding, Buffer>>;
}

/** The built application. */
export interface App {
  /** The script that starts what the first screen needs, while the application is being loaded: part of the page. */
  readonly early: string;
  /** Of the script that starts the application. */
  readonly script: string;
  /** Of what that one imports. */
  readonly imported: readonly string[];
  readonly style: string;
  /** URL of the image that browsers show beside the title. */
  readonly icon: string;
  /** Of the script that pages of custom elements load. */
  readonly elementScript: string;
  /** By name; a name has the hash of the content. */
  readonly files: ReadonlyMap<string, AppFile>;
}

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};

const BUILT = new URL('.build/console/', programFolder());

/** Undefined where the application was not built. */
export async function readApp(folder = BUILT): Promise<App | undefined> {
  const manifest = await readManifest(folder);
  if (manifest === undefined) return undefined;
  const { files, ...names } = manifest;
  const read = await Promise.all(
    files.map(async (name) => {
      const [identity, br, gzipped] = await Promise.all(
        ['', '.br', '.gz'].map((end) => readFile(new URL(name + end, folder))),
      );
      const type = TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
      return [name, { type, bodies: { identity, br, gzip: gzipped } as AppFile['bodies'] }] as const;
    }),
  );
  return { ...names, files: new Map(read) };
}

interface Manifest extends Omit<App, 'files'> {
  readonly files: readonly string[];
}

async function readManifest(folder: URL): Promise<Manifest | undefined> {
  try {
    return JSON.parse(await readFile(new URL('manifest.json', folder), 'utf8')) as Manifest;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
}
