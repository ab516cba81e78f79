import type { Allowed } from '../../acts/act-data.ts';
import { call, callTagged, get, query } from '../../api.ts';
import type { Named } from '../../list/project-data.ts';
import type { StoredValue } from '../../text-diff/tokens.ts';

export interface User {
  readonly id: string;
  readonly name: string | null;
}

export interface HistoryEntry {
  readonly sequence: number;
  readonly at: string;
  readonly operation: string;
  readonly user: User | null;
  readonly version: number | null;
}

interface HistoryPage {
  readonly history: readonly HistoryEntry[];
  readonly pagination: { readonly next: string | null };
}

export interface Version {
  readonly version: number;
  readonly created: string;
  readonly user: User | null;
  readonly type: Named;
  readonly elements: readonly { readonly id: string; readonly value: StoredValue }[];
  readonly references: readonly { readonly id: string; readonly name: string | null }[];
}

export interface VersionedVariant {
  readonly item: Named;
  readonly language: Named;
  readonly type: Named;
  readonly draft: number | null;
  readonly published: number | null;
  readonly is_archived: boolean;
  readonly allowed: readonly Allowed[];
}

export const variantPath = (project: string, item: string, language: string) =>
  `admin/projects/${project}/items/${item}/variants/${language}`;

export const readHistory = (path: string, after: string | undefined, signal: AbortSignal) =>
  get<HistoryPage>(`${path}/history${query({ limit: 50, after })}`, signal);

export const readVersion = (path: string, version: number, signal: AbortSignal) =>
  get<Version>(`${path}/versions/${version}`, signal);

export const readVersioned = (path: string) => callTagged<VersionedVariant>('GET', `${path}/draft`);

/** @param etag of the variant as the page shows it: where it was changed since, nothing is restored (412) */
export const restoreVersion = (
  path: string,
  version: number,
  elements: readonly string[] | undefined,
  etag: string | undefined,
) =>
  callTagged<VersionedVariant>('PUT', `${path}/draft`, { version, ...(elements && { elements }) }, { etag });

/** Takes a draft back that a restoration made of nothing. @param version of the draft: a later one stays (409) */
export const discardRestored = (path: string, version: number) =>
  call('POST', `${path}/discard-draft${query({ version })}`);
