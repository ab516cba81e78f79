/** Language fallback (spec 4.1 `language`): which variant of which item a reader gets. */
import {
  byKey,
  type OracleChannel,
  type OracleContent,
  type OracleItem,
  type OracleLanguage,
  type OracleVersion,
} from './content.ts';

/** One item as a reader of a language and a channel gets it. */
export interface Found {
  readonly item: OracleItem;
  readonly language: OracleLanguage;
  readonly version: OracleVersion;
}

export interface View {
  readonly content: OracleContent;
  readonly channel: OracleChannel;
  readonly language: OracleLanguage;
}

export function openView(content: OracleContent, channel: OracleChannel, codename: string | undefined): View {
  const named = content.languages.find((language) => language.active && language.codename === codename);
  return { content, channel, language: named ?? content.languages.find((language) => language.isDefault)! };
}

/** The requested language, then its fallback languages, without inactive ones. */
function chainOf(view: View): OracleLanguage[] {
  const chain: OracleLanguage[] = [];
  let at: OracleLanguage | null = view.language;
  while (at && !chain.includes(at)) {
    chain.push(at);
    at = at.fallback === null ? null : byKey(view.content.languages, at.fallback);
  }
  return chain.filter((language) => language.active);
}

export function find(view: View, item: OracleItem): Found | undefined {
  if (item.archived) return undefined;
  for (const language of chainOf(view)) {
    const variant = item.variants.find(
      (candidate) => candidate.language === language.key && !candidate.archived,
    );
    const version = view.channel === 'published' ? variant?.published : variant?.latest;
    if (version) return { item, language, version };
  }
  return undefined;
}

export function findAll(view: View): Found[] {
  return view.content.items.flatMap((item) => find(view, item) ?? []);
}
