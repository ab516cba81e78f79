import {
  CHANNEL_BIT,
  type Channel,
  type ContentType,
  fallbackChain,
  isList,
  type Language,
  type ProjectModel,
  viewOf,
} from '../model/model.ts';
import { slotOf } from '../read-model/index-entries.ts';
import type { Order, PagePlan } from '../storage/page-plan.ts';
import type { NamedItems } from './named-items.ts';
import type { DeliveryQuery, OrderBy } from './parse-query.ts';
import { planConditions } from './plan-conditions.ts';

/** An unknown or deactivated language is answered in the default one. */
export function languageOf(model: ProjectModel, codename: string | null): Language {
  const language = codename === null ? undefined : model.languageByCodename.get(codename);
  return language?.isActive ? language : model.defaultLanguage;
}

/**
 * The plan of a query; null when nothing can match.
 * @param costLimit in units; a plan that is estimated to cost more is refused; null = none
 */
export function planListing(
  model: ProjectModel,
  channel: Channel,
  query: DeliveryQuery,
  named: NamedItems,
  costLimit: number | null,
): PagePlan | null {
  const language = languageOf(model, query.language);
  const chain = fallbackChain(model, language);
  const narrowed = planConditions(model, chain, query.filters, named);
  if (!narrowed) return null;
  const { types, languages, conditions } = narrowed;
  const plan: PagePlan = {
    project: model.project.number,
    modelSequence: model.sequence,
    view: viewOf(language, channel),
    channelBit: CHANNEL_BIT[channel],
    types: types.length === model.types.length ? null : types.map((type) => type.number),
    languages: languages.map(({ number, ordinal }) => ({
      number,
      ordinal,
      fallback: number !== language.number,
    })),
    languagesRestricted: languages.length < chain.length,
    conditions,
    order: planOrder(types, languages, query.order),
    skip: query.skip,
    limit: query.limit,
    total: query.includeTotalCount,
    // All entries of a project are streamed, however many there are.
    costLimit: query.limit === null && conditions.length === 0 ? null : costLimit,
  };
  return narrowed.codenames ? { ...plan, codenames: narrowed.codenames } : plan;
}

const BY_CODENAME = { by: 'codename', descending: false } as const;

function planOrder(
  types: readonly ContentType[],
  languages: readonly Language[],
  order: OrderBy | null,
): Order {
  if (!order) return BY_CODENAME;
  const { scope, name, descending } = order;
  const bySlots = (fieldOf: (type: ContentType) => number | undefined): Order => {
    const slots = types.flatMap((type) => {
      const field = fieldOf(type);
      return field === undefined ? [] : languages.map((language) => slotOf(field, language));
    });
    // Where nothing has a value, all are ties.
    if (slots.length === 0) return BY_CODENAME;
    const lacking = types.filter((type) => fieldOf(type) === undefined).map((type) => type.number);
    return { by: 'slots', descending, slots, lacking };
  };
  if (scope === 'elements')
    return bySlots((type) => {
      const field = type.fieldByCodename.get(name);
      // Lists have no order: every item counts as lacking a value.
      return field && !isList(field.element) ? field.field : undefined;
    });
  switch (name) {
    case 'name':
    case 'last_modified':
      return bySlots((type) => type.systemFields[name]);
    case 'codename':
    case 'id':
      return { by: name, descending };
    // Of one type or language all are ties.
    case 'type':
      return types.length === 1 ? BY_CODENAME : { by: name, descending, types: byCodename(types) };
    case 'language':
      return languages.length === 1 ? BY_CODENAME : { by: name, descending };
    default:
      return BY_CODENAME;
  }
}

/** Codenames are ASCII, so JavaScript and the database order them alike. */
function byCodename(types: readonly ContentType[]): number[] {
  return [...types].sort((a, b) => (a.codename < b.codename ? -1 : 1)).map((type) => type.number);
}
