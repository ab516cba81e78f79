import { ServiceError } from '../errors.ts';

/**
 * The content of an archive: a tar of JSON and asset files, in this order, so that it can be read as a stream:
 *
 * ```
 * headwater.json             ArchiveHead
 * files/<sha-256>            the bytes of a file; also between the parts below
 * model.json                 ArchiveModel
 * assets/000001.ndjson       ArchiveAsset, one a line
 * items/000001.ndjson        ArchiveItem; all items come before the first variant
 * variants/000001.ndjson     ArchiveVariant; those of one item are in one part
 * end.json                   the counts again: an archive without it was cut off
 * ```
 *
 * Any other entry, a repeated one, and any after the end is refused.
 */
export const FORMAT = 1;

export interface ArchiveHead {
  readonly format: number;
  /** Id of this archive; a repeated import is recognised by it. */
  readonly archive: string;
  readonly created: string;
  readonly project: { readonly id: string; readonly name: string };
  readonly counts: ArchiveCounts;
}

export interface ArchiveCounts {
  readonly assets: number;
  readonly items: number;
  readonly variants: number;
}

/** Steps of a job that reads or writes all of it: one more than rows, as a project without content is one too. */
export function stepsOf({ assets, items, variants }: ArchiveCounts): number {
  return assets + items + variants + 1;
}

interface Part {
  readonly id: string;
  readonly name: string;
  readonly codename: string;
  readonly external_id: string | null;
}

export interface ArchiveLanguage extends Part {
  readonly ordinal: number;
  readonly active: number;
  readonly is_default: number;
  readonly fallback: string | null;
}
export interface ArchiveTaxonomy extends Part {
  readonly terms: string;
  readonly last_modified: string;
  readonly archived: string | null;
}
export interface ArchiveSnippet extends Part {
  readonly elements: string;
  readonly last_modified: string;
}
export interface ArchiveType extends ArchiveSnippet {
  readonly content_groups: string;
}

/** Where the site shows drafts; ids of a type and a language, null = all. */
export interface ArchivePreviewUrl {
  readonly type: string | null;
  readonly language: string | null;
  readonly url: string;
}

/** Trees and definitions are JSON text, as in the tables. */
export interface ArchiveModel {
  readonly sitemap: string;
  readonly asset_folders: string;
  readonly folders_changed: string | null;
  readonly languages: readonly ArchiveLanguage[];
  readonly taxonomies: readonly ArchiveTaxonomy[];
  readonly snippets: readonly ArchiveSnippet[];
  readonly types: readonly ArchiveType[];
  /** Absent where there are none, and in archives of version 0.2.0. */
  readonly preview_urls?: readonly ArchivePreviewUrl[];
}

export interface ArchiveFile {
  readonly id: string;
  readonly name: string;
  readonly hash: string;
  readonly size: number;
  readonly type: string;
  readonly width: number | null;
  readonly height: number | null;
  readonly created: string;
}

export interface ArchiveAsset {
  readonly id: string;
  readonly external_id: string | null;
  readonly title: string | null;
  readonly descriptions: string;
  readonly folder: string | null;
  readonly created: string;
  readonly last_modified: string;
  readonly archived: string | null;
  /** Null: a placeholder, referred to by external id. */
  readonly file: ArchiveFile | null;
}

export interface ArchiveItem {
  readonly id: string;
  readonly name: string | null;
  readonly codename: string | null;
  readonly external_id: string | null;
  /** Id of the type; null: a placeholder, referred to by external id. */
  readonly type: string | null;
  readonly sitemap_locations: string;
  readonly created: string;
  readonly last_modified: string;
  readonly archived: string | null;
}

export interface ArchiveVersion {
  readonly elements: string;
  readonly created: string;
  readonly account: string | null;
}

export interface ArchiveVariant {
  readonly item: string;
  readonly language: string;
  readonly versions: readonly ArchiveVersion[];
  /** Indexes of `versions`. */
  readonly draft: number | null;
  readonly published: number | null;
  readonly scheduled_to: string | null;
  readonly schedule: string | null;
  readonly was_published: number;
  readonly last_modified: string;
  readonly archived: string | null;
}

export function damaged(what: string, cause?: unknown): ServiceError {
  return new ServiceError('badRequest', `The archive is damaged or no archive of a project: ${what}.`, {
    cause,
  });
}
