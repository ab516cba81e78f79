import { modelTexts } from '../../messages/model.ts';
import type { Named } from './definition.ts';

interface CodenameChange {
  readonly kind: string;
  readonly before: string;
  readonly after: string | null;
}

interface Requests {
  readonly calls: number | null;
  readonly days: number;
}

type Rule = Exclude<keyof ReturnType<typeof modelTexts>['settings'], 'guidelines'>;

/** What the admin API counts before a change of the model. */
export interface ModelImpact {
  readonly elements: readonly {
    readonly id: string;
    readonly name: string;
    readonly codename: string;
    readonly change: 'add' | 'remove' | 'change';
    readonly items: number | null;
    readonly breaking: readonly {
      readonly rule: Rule;
      readonly items: number;
      readonly is_complete: boolean;
    }[];
  }[];
  readonly removed: readonly { readonly id: string; readonly name: string; readonly items: number }[];
  readonly codenames: readonly CodenameChange[];
  readonly items: number;
  readonly items_with_components: number;
  readonly archived_items: number;
  readonly documents: number;
  readonly is_recompiling: boolean;
  readonly requests: Requests;
}

interface ReaderItems {
  readonly own: number;
  readonly fallback: number;
}

export interface LanguageImpact {
  readonly languages: readonly {
    readonly language: Named;
    readonly before: ReaderItems;
    readonly after: ReaderItems;
  }[];
  readonly documents: number;
  readonly codenames: readonly CodenameChange[];
  readonly requests: Requests;
}

export interface ImpactText {
  readonly content: readonly string[];
  readonly readers: readonly string[];
}

/** Sentences of a kind that are shown. */
const SHOWN = 30;

/** The impact in sentences. */
export function impactText(impact: ModelImpact | LanguageImpact): ImpactText {
  const { impact: t } = modelTexts();
  return {
    content: 'elements' in impact ? cut(contentText(impact)) : cut(languageText(impact)),
    readers: [
      t.documents(impact.documents),
      ...cut(
        impact.codenames.map(({ before, after }) =>
          after === null ? t.codenameGone(before) : t.codename(before, after),
        ),
      ),
      t.requests(impact.requests.calls, impact.requests.days),
    ],
  };
}

function contentText(impact: ModelImpact): string[] {
  const { impact: t, settings } = modelTexts();
  return [
    ...(impact.items > 0 ? [t.items(impact.items)] : []),
    ...(impact.items_with_components > 0 ? [t.components(impact.items_with_components)] : []),
    ...impact.elements.flatMap(({ name, change, items, breaking }) => [
      ...(change === 'add'
        ? []
        : [
            items === null
              ? t.notCounted(name)
              : change === 'remove'
                ? t.loses(name, items)
                : t.values(name, items),
          ]),
      ...breaking.map(({ rule, items: count, is_complete }) =>
        t.breaks(name, settings[rule], count, is_complete),
      ),
    ]),
    ...impact.removed.map(({ name, items }) => t.removed(name, items)),
    ...(impact.archived_items > 0 ? [t.archivedItems(impact.archived_items)] : []),
    ...(impact.is_recompiling ? [t.recompiling] : []),
  ];
}

function languageText({ languages }: LanguageImpact): string[] {
  const { impact: t } = modelTexts();
  const items = ({ own, fallback }: ReaderItems) => t.readerItems(own, fallback);
  return languages.map(({ language: { name }, before, after }) =>
    t.language(name, items(before), items(after)),
  );
}

function cut(sentences: readonly string[]): string[] {
  if (sentences.length <= SHOWN) return [...sentences];
  return [...sentences.slice(0, SHOWN), modelTexts().impact.more(sentences.length - SHOWN)];
}
