import { z } from 'zod';
import { findLanguage } from '../content/languages.ts';
import { listAllContent } from '../content-list/list-content.ts';
import { Issues } from '../model/issues.ts';
import { describe, findReferred } from '../model/reference.ts';
import { ACTS, type ActInput, type ActName } from '../publishing/acts.ts';
import type { ActRequest } from '../publishing/plan-act.ts';
import { readScheduleTime } from '../publishing/schedule.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import { referenceTo } from './call.ts';
import { filterOf } from './content-query.ts';

/** Objects of a list; more are selected by a filter. */
const MOST_LISTED = 10_000;

/** Objects of one act. */
const MOST_FOUND = 1_000_000;

const REFERENCE = z.union(
  [
    z.string().min(1),
    z.strictObject({ id: z.string() }),
    z.strictObject({ codename: z.string() }),
    z.strictObject({ external_id: z.string() }),
  ],
  'An id or codename, or an object with exactly one of id, codename, external_id is expected.',
);
type Given = z.infer<typeof REFERENCE>;

const SELECTION = {
  objects: z
    .array(z.strictObject({ item: REFERENCE, language: REFERENCE.optional() }))
    .min(1)
    .max(MOST_LISTED)
    .optional()
    .describe('Items, or with a language variants, one by one.'),
  filter: z
    .string()
    .max(4000)
    .optional()
    .describe(
      'In place of `objects`, everything that matches: a query of `content`, the listing of items in one language.',
    ),
  languages: z
    .array(REFERENCE)
    .min(1)
    .max(1000)
    .optional()
    .describe(
      'With `filter`: the languages whose variants are meant; when not given, the language of the filter, or of acts on items the whole items.',
    ),
  expected: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe('How many objects change by the plan; where that is different now, nothing is done (409).'),
  plan: z
    .string()
    .max(200)
    .optional()
    .describe(
      'The `version` of a plan; where something of it is different now, nothing is done (409), and the message says what. Of a job, only the objects are compared.',
    ),
};

const WITH_LINKED = {
  ...SELECTION,
  include_linked: z
    .boolean()
    .optional()
    .describe(
      'Drafts that the objects link to are published with them, and what those link to, up to 1,000; only those that you may publish. Links that are made while this runs may be missed; publishing again publishes what they lead to.',
    ),
};

/** The body of each act. */
export const ACT_BODIES = {
  publish: z.strictObject(WITH_LINKED),
  schedule: z.strictObject({
    ...WITH_LINKED,
    scheduled_to: z.string().describe('ISO 8601; UTC without a zone.'),
  }),
  cancel_schedule: z.strictObject(SELECTION),
  unpublish: z.strictObject(SELECTION),
  archive: z.strictObject(SELECTION),
  restore: z.strictObject(SELECTION),
  move: z.strictObject({
    ...SELECTION,
    sitemap_locations: z.array(REFERENCE).max(1000).describe('In place of those that the items have.'),
  }),
  change_step: z.strictObject({
    ...SELECTION,
    workflow_step: z
      .enum(['draft', 'archived'])
      .describe('`draft` makes a draft of each published variant, `archived` archives drafts.'),
  }),
} as const satisfies Record<ActName, z.ZodType>;

/** What the bodies have in common, and what some of them have. */
export interface GivenAct {
  readonly objects?: readonly { readonly item: Given; readonly language?: Given | undefined }[] | undefined;
  readonly filter?: string | undefined;
  readonly languages?: readonly Given[] | undefined;
  readonly expected?: number | undefined;
  readonly plan?: string | undefined;
  readonly include_linked?: boolean | undefined;
  readonly scheduled_to?: string;
  readonly sitemap_locations?: readonly Given[];
  readonly workflow_step?: 'draft' | 'archived';
}

/** @throws invalidBody, and what the filter of the listing throws */
export async function readActRequest(view: ProjectView, act: ActName, given: GivenAct): Promise<ActRequest> {
  const issues = new Issues();
  const { about } = ACTS[act];
  const named = given.languages?.map((one) => {
    const language = findLanguage(view, referenceOf(one));
    if (!language.isActive) issues.add(`The language '${language.codename}' is not active.`, 'languages');
    return language;
  });
  const languages = named && [...new Set(named)];
  for (const [index, { language }] of (given.objects ?? []).entries())
    if (about !== 'both' && (language === undefined) !== (about === 'items'))
      issues.add(
        about === 'items' ? 'This act is about whole items; omit the language.' : 'The language is missing.',
        `objects[${index}].language`,
      );
  const input = readInput(view, given, issues);
  issues.refuse();
  if (given.filter === undefined)
    return {
      act,
      input,
      selection: {
        path: 'objects',
        objects: (given.objects ?? []).map(({ item, language }) => ({
          item: referenceOf(item),
          language: language === undefined ? null : referenceOf(language),
        })),
      },
    };
  const filter = filterOf(new URLSearchParams(given.filter), view);
  const otherwise = about === 'variants' ? [filter.language] : null;
  const meant = about === 'items' ? null : (languages ?? otherwise);
  const most = Math.floor(MOST_FOUND / (meant?.length ?? 1));
  const { items, total } = await listAllContent(view, filter, most);
  if (total > most) {
    issues.add(`An act is about at most ${MOST_FOUND} objects.`, 'filter');
    issues.refuse();
  }
  return { act, input, selection: { items, languages: meant } };
}

function readInput(view: ProjectView, given: GivenAct, issues: Issues): ActInput {
  const { scheduled_to: at, sitemap_locations: nodes, workflow_step: step, include_linked: linked } = given;
  const locations = nodes?.flatMap((one, index) => {
    const node = findReferred(view.model.sitemapNodeById.values(), referenceOf(one));
    if (!node)
      issues.add(
        `There is no sitemap node with ${describe(referenceOf(one))}.`,
        `sitemap_locations[${index}]`,
      );
    return node ? [node.id] : [];
  });
  return {
    ...(at !== undefined && { at: readScheduleTime(at) }),
    ...(locations && { locations: [...new Set(locations)] }),
    ...(step && { step }),
    ...(linked && { includeLinked: true }),
  };
}

function referenceOf(given: Given) {
  return typeof given === 'string' ? referenceTo(given) : given;
}
