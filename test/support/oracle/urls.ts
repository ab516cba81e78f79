/** Absolute URLs of an answer, `next_page` with them. */
import type { OracleAsset, OracleContent } from './content.ts';

/** Public bases without trailing slash. */
export interface Bases {
  readonly self: string;
  readonly assets: string;
}

export function assetUrl(content: OracleContent, asset: OracleAsset, bases: Bases): string {
  return `${bases.assets}/${content.projectId}/${asset.file}/${encodeURIComponent(asset.fileName)}`;
}

export type Pairs = readonly (readonly [name: string, value: string])[];

/**
 * The parameters `next_page` must repeat, decoded: those of the request in their order, `skip` where it
 * stood or else as the last one.
 */
export function nextPageParameters(pairs: Pairs, skip: number): Pairs {
  const isGiven = pairs.some(([name]) => name === 'skip');
  const moved = pairs.map(([name, value]) => [name, name === 'skip' ? String(skip) : value] as const);
  return isGiven ? moved : [...moved, ['skip', String(skip)]];
}
