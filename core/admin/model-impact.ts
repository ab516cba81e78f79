import { mayManageApis } from '../access/permissions.ts';
import { findLanguage } from '../content/languages.ts';
import { replaceSitemap } from '../content/sitemap.ts';
import { deleteSnippet } from '../content/snippets.ts';
import { archiveTaxonomy } from '../content/taxonomies.ts';
import { deleteType } from '../content/types.ts';
import {
  arrayOf,
  closed,
  count,
  flag,
  id,
  oneOf,
  open,
  orNull,
  schema,
  text,
} from '../http/openapi-shapes.ts';
import { RECOMPILE } from '../jobs/job-kinds.ts';
import { type Job, listJobs } from '../jobs/jobs.ts';
import type { Reference, SitemapNodeInput } from '../model/inputs.ts';
import { dryRun } from '../model-impact/dry-run.ts';
import { type LanguageImpact, languageImpact } from '../model-impact/language-impact.ts';
import { type CodenameChange, RULES } from '../model-impact/model-changes.ts';
import { type ElementImpact, type ModelImpact, modelImpact } from '../model-impact/model-impact.ts';
import type { PatchedPart } from '../model-impact/model-patches.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import { dayOf } from '../usage/quotas.ts';
import { readUsage } from '../usage/usage.ts';
import { type Answer, type Call, ok, refuse } from './call.ts';
import { named } from './named.ts';
import { routesOf, shows } from './route.ts';

const DAY = 86_400_000;
const USAGE_DAYS = 30;
/** Running recompilations that are shown. */
const SHOWN_JOBS = 20;

const route = routesOf({ read: 'view-content', write: 'manage-types' });

const description =
  'Changes nothing. Takes the operations of the PATCH, or `remove`, and refuses what that would refuse. Values are counted by the index of compiled documents in active languages; what the index cannot answer is examined for 0.6 s, and `is_complete` is false where that was not enough.';
const operations = arrayOf({ type: 'object' }, 'Operations, as in the PATCH.');
const ofDefinition = {
  description,
  body: open({ operations, remove: flag('It is deleted instead.') }),
  answers: shows('AdminModelImpact'),
};

export const modelImpactRoutes = [
  route('POST projects/:project/types/:type/impact', {
    id: 'planTypeChange',
    summary: 'Count what a change of a content type affects',
    ...ofDefinition,
    handler: (call) => planChange(call, 'type', deleteType),
  }),
  route('POST projects/:project/snippets/:snippet/impact', {
    id: 'planSnippetChange',
    summary: 'Count what a change of a snippet affects',
    ...ofDefinition,
    handler: (call) => planChange(call, 'snippet', deleteSnippet),
  }),
  route('POST projects/:project/taxonomies/:taxonomy/impact', {
    id: 'planTaxonomyChange',
    summary: 'Count what a change of a taxonomy group affects',
    permission: 'manage-taxonomies',
    ...ofDefinition,
    handler: (call) => planChange(call, 'taxonomy', archiveTaxonomy),
  }),
  route('POST projects/:project/sitemap/impact', {
    id: 'planSitemapChange',
    summary: 'Count what a change of the sitemap affects',
    permission: 'manage-sitemap',
    description: 'Changes nothing. Takes the body of the PUT.',
    body: open({ nodes: arrayOf({ type: 'object' }) }, undefined, ['nodes']),
    answers: shows('AdminModelImpact'),
    handler: async (call) => {
      const { nodes } = await call.body();
      if (!Array.isArray(nodes)) return refuse("'nodes' must be an array.", 'nodes');
      return impactAnswer(call, (transaction) =>
        replaceSitemap(transaction, nodes as readonly SitemapNodeInput[]),
      );
    },
  }),
  route('POST projects/:project/languages/:language/impact', {
    id: 'planLanguageChange',
    summary: 'Count what a change of a language affects',
    permission: 'manage-languages',
    description: 'Changes nothing. Takes the operations of the PATCH, and refuses what that would refuse.',
    body: open({ operations }, undefined, ['operations']),
    answers: shows('AdminLanguageImpact'),
    handler: planLanguageChange,
  }),
  route('GET projects/:project/recompilation', {
    id: 'getRecompilation',
    summary: 'Read how far changes of the model are compiled',
    description: 'Readers get stale documents compiled for their request, so they never wait for this.',
    answers: shows('AdminRecompilation'),
    handler: readRecompilation,
  }),
];

/** @param remove deletes the part */
async function planChange(
  call: Call,
  part: PatchedPart,
  remove: (transaction: ProjectTransaction, reference: Reference) => Promise<void>,
): Promise<Answer> {
  const { operations: given, remove: isRemoved } = await call.body();
  const id = call.at(part);
  if (isRemoved === true) return impactAnswer(call, (transaction) => remove(transaction, { id }));
  if (!Array.isArray(given)) return refuse("'operations' must be an array.", 'operations');
  const { modelPatches } = call.operations;
  return impactAnswer(call, (transaction) => modelPatches.apply(transaction, part, id, given));
}

async function impactAnswer(
  call: Call,
  work: (transaction: ProjectTransaction) => Promise<unknown>,
): Promise<Answer> {
  const run = await dryRun(call.operations, call.at('project'), work);
  const impact = await call.operations.read(call.at('project'), (view) => modelImpact(view, run));
  return ok({ ...impactJson(impact), requests: await requestsOf(call) });
}

async function planLanguageChange(call: Call): Promise<Answer> {
  const { operations: given } = await call.body();
  if (!Array.isArray(given)) return refuse("'operations' must be an array.", 'operations');
  const impact = await call.operations.read(call.at('project'), (view) => {
    const language = findLanguage(view, { id: call.at('language') });
    return languageImpact(view, language, call.operations.modelPatches.ofLanguage(language, given));
  });
  return ok({ ...languageImpactJson(impact), requests: await requestsOf(call) });
}

async function readRecompilation({ operations: { reader }, at }: Call): Promise<Answer> {
  const jobs = await listJobs(reader.sql, {
    project: at('project'),
    kind: RECOMPILE,
    state: 'running',
    limit: SHOWN_JOBS,
  });
  return ok({ jobs: jobs.map(jobJson) });
}

function jobJson({ id, done, total, created }: Job) {
  return { id, done, total, created };
}

/** Which codenames applications request is recorded nowhere; what is known are the calls of each surface. */
async function requestsOf({ operations: { reader, usage }, person, at }: Call) {
  const project = at('project');
  if (!(await mayManageApis(reader.sql, person, project)))
    return { by_codename: null, calls: null, days: USAGE_DAYS };
  const to = usage.today();
  const from = dayOf(new Date(Date.parse(to) - (USAGE_DAYS - 1) * DAY));
  const days = await readUsage(reader.sql, project, { from, to });
  const calls = days.reduce((sum, { delivery, preview }) => sum + delivery + preview, 0);
  return { by_codename: null, calls, days: USAGE_DAYS };
}

function impactJson(impact: ModelImpact) {
  return {
    elements: impact.elements.map(elementJson),
    removed: impact.removed.map(({ member: { kind, id, name, codename }, items }) => ({
      kind,
      id,
      name,
      codename,
      items,
    })),
    codenames: impact.codenames.map(codenameJson),
    items: impact.items,
    items_with_components: impact.withComponents,
    archived_items: impact.archivedItems,
    documents: impact.documents,
    is_recompiling: impact.isRecompiling,
  };
}

function elementJson({ element: { element, codename, change, fields }, items, breaking }: ElementImpact) {
  return {
    id: element.id,
    name: element.name,
    codename,
    types: fields.map(({ type }) => named(type)),
    change,
    items,
    breaking: breaking.map(({ rule, items: broken, isComplete }) => ({
      rule,
      items: broken,
      is_complete: isComplete,
    })),
  };
}

function codenameJson({ kind, before, after }: CodenameChange) {
  return { kind, before, after };
}

function languageImpactJson({ languages, documents, codenames }: LanguageImpact) {
  return {
    languages: languages.map(({ language, before, after }) => ({
      language: named(language),
      before,
      after,
    })),
    documents,
    codenames: codenames.map(codenameJson),
  };
}

const requests = closed(
  {
    by_codename: { type: 'null', description: 'Requests by codename are not recorded.' },
    calls: orNull(count('Calls of delivery and preview; null for a person who may not see usage.')),
    days: count('Days up to today that they are of.'),
  },
  'What is known of the requests of applications.',
);
const codenames = arrayOf(
  closed(
    {
      kind: oneOf(
        ['type', 'element', 'option', 'taxonomy', 'term', 'location', 'language'],
        'What has the codename.',
      ),
      before: text('The codename that readers know.'),
      after: orNull(text('The new one; null = it is gone.')),
    },
    'A codename that changes.',
  ),
  'Codenames that applications may request or filter by.',
);
const readers = (description: string) =>
  closed(
    { own: count('In the language itself.'), fallback: count('In one that it falls back to.') },
    description,
  );

export const modelImpactSchemas = {
  AdminModelImpact: closed<keyof ReturnType<typeof impactJson> | 'requests'>(
    {
      elements: arrayOf(
        closed<keyof ReturnType<typeof elementJson>>(
          {
            id: id('Id of the element.'),
            name: text('Name.'),
            codename: text('Codename as items have it.'),
            types: arrayOf(schema('AdminNamed'), 'The types that have it.'),
            change: oneOf(['add', 'remove', 'change'], 'What happens to it.'),
            items: orNull(count('Items that have a value of it; null where more than 20 elements change.')),
            breaking: arrayOf(
              closed({
                rule: oneOf(RULES, 'The attribute that limits values.'),
                items: count('Items whose latest version does not follow it.'),
                is_complete: flag('False: there may be more.'),
              }),
              'By each limit that is new.',
            ),
          },
          'An element that changes for editors or readers.',
        ),
        'Elements that change.',
      ),
      removed: arrayOf(
        closed({
          kind: oneOf(['option', 'term', 'location'], 'What it is.'),
          id: id('Id.'),
          name: text('Name.'),
          codename: text('Codename.'),
          items: count('Items that have it.'),
        }),
        'Options, terms and locations that are removed.',
      ),
      codenames,
      items: count('Items of the types concerned.'),
      items_with_components: count('Items with components of these types.'),
      archived_items: count('Archived items that are deleted with their type.'),
      documents: count('Documents that are compiled again.'),
      is_recompiling: flag(
        'An earlier change is still being compiled; values of new elements may be missing.',
      ),
      requests,
    },
    'What a change of the model affects.',
  ),
  AdminLanguageImpact: closed<keyof ReturnType<typeof languageImpactJson> | 'requests'>(
    {
      languages: arrayOf(
        closed({
          language: schema('AdminNamed'),
          before: readers('Public items that readers of it get.'),
          after: readers('The same after the change.'),
        }),
        'Languages whose readers get other items.',
      ),
      documents: count('Documents that are compiled again.'),
      codenames,
      requests,
    },
    'What a change of a language affects.',
  ),
  AdminRecompilation: closed(
    {
      jobs: arrayOf(
        closed<keyof ReturnType<typeof jobJson>>({
          id: id('Id of the job.'),
          done: count('Items that are compiled.'),
          total: orNull(count('Items in all.')),
          created: text('When it began.'),
        }),
        'Running jobs; small changes have none.',
      ),
    },
    'Compilation after changes of the model.',
  ),
};
