/** Where the site shows the draft of an item, as the admin API answers it. */
import type { Reference } from '../managed.ts';

export interface PreviewUrl {
  readonly type: Reference | null;
  readonly language: Reference | null;
  readonly url: string;
}

export interface PreviewUrls {
  readonly preview_urls: readonly PreviewUrl[];
}

export const PLACEHOLDERS = ['{URLslug}', '{Codename}', '{Lang}', '{ItemId}'] as const;

export interface Previewed {
  readonly type: string;
  readonly language: string;
  /** What stands for each placeholder; undefined: the item has none. */
  readonly values: Readonly<Record<(typeof PLACEHOLDERS)[number], string | undefined>>;
}

/** The URL for an item: one of its type counts before one of its language. */
export function previewUrlFor(
  urls: readonly PreviewUrl[],
  { type, language }: Previewed,
): string | undefined {
  const rank = (one: PreviewUrl) => (one.type ? 2 : 0) + (one.language ? 1 : 0);
  const [best] = urls
    .filter((one) => (one.type?.id ?? type) === type && (one.language?.id ?? language) === language)
    .sort((one, other) => rank(other) - rank(one));
  return best?.url;
}

/** @returns `missing`: a placeholder for which the item has no value */
export function filledUrl(
  template: string,
  { values }: Previewed,
): { readonly url: string } | { readonly missing: string } {
  for (const name of PLACEHOLDERS) if (template.includes(name) && !values[name]) return { missing: name };
  return {
    url: template.replaceAll(/\{\w+\}/g, (name) =>
      encodeURIComponent(values[name as (typeof PLACEHOLDERS)[number]] ?? name),
    ),
  };
}
