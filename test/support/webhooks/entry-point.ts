import type { EntryPointProject } from './entry-point-project.ts';

export interface EntryPoint {
  /** `v2`, `v1`, `admin` or `clock`. */
  readonly entryPoint: string;
  readonly does: string;
  /** Type and operation; null = no notification. */
  readonly fires: string | null;
  /** Content of `data.items` or `data.taxonomies`, for the table. */
  readonly lists: string;
  /** Prepares, calls `world.begin()`, acts; returns the items to be listed, and the taxonomies. */
  readonly run: (world: EntryPointProject) => Promise<readonly string[] | Listed>;
}

export interface Listed {
  readonly items: readonly string[];
  readonly taxonomies: readonly string[];
}

export const NOTHING = '–';
export const entryPoint = (
  name: string,
  does: string,
  fires: string | null,
  lists: string,
  run: EntryPoint['run'],
): EntryPoint => ({
  entryPoint: name,
  does,
  fires,
  lists,
  run,
});
export const at = (note: string, language = 'en') => `${note}/${language}`;
