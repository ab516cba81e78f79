import { expiringKeys, type KeyListing } from '../access/keys.ts';
import { mayManageApis } from '../access/permissions.ts';
import { listRevisions, type Revision } from '../changes/revisions.ts';
import { arrayOf, closed, flag, id, oneOf, orNull, schema, text, time } from '../http/openapi-shapes.ts';
import { failedJobs, type Job } from '../jobs/jobs.ts';
import {
  type BrokenLink,
  bounded,
  brokenLinks,
  COUNTED,
  type Found,
  type IncompleteVariant,
  incompleteVariants,
  type ScheduledVariant,
  scheduledUntil,
} from '../publishing/content-attention.ts';
import { timestamp } from '../storage/timestamp.ts';
import { permitsContent, visibleWhere } from '../transaction/content-access.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import { listWebhookQueues, type WebhookQueue } from '../webhooks/queues/find-webhook-queue.ts';
import { type Answer, type Call, ok } from './call.ts';
import { namedVariant } from './named.ts';
import { routesOf, shows } from './route.ts';
import { webhookState } from './webhook-json.ts';

const DAY = 86_400_000;
/** Days ahead in which schedules and expiring keys are shown, and days back in which jobs failed. */
const SCHEDULE_DAYS = 7;
const KEY_DAYS = 30;
const JOB_DAYS = 7;
/** Entries of a part; more are counted only. */
const SHOWN = 10;
/** Changes of a person in which the last items are searched. */
const OWN_CHANGES = 200;

const EVERYTHING = { type: 'all', language: 'all' } as const;

const route = routesOf({ read: 'view-content', write: 'view-content' });

export const attentionRoutes = [
  route('GET projects/:project/attention', {
    id: 'getAttention',
    summary: 'List what needs attention in a project',
    description: `Up to ${SHOWN} entries of each part, with a count that ends at 100. Webhooks and keys are null for a person who may not see them.`,
    answers: shows('AdminAttention'),
    handler: readAttention,
  }),
];

async function readAttention({ operations, at, person }: Call): Promise<Answer> {
  const now = Date.parse(operations.usage.today());
  const project = at('project');
  const seesApis = await mayManageApis(operations.reader.sql, person, project);
  return operations.read(project, async (view) => {
    const { tx } = view;
    const { number } = view.project;
    const links = await brokenLinks(view);
    return ok({
      scheduled: partOf(
        await scheduledUntil(view, timestamp(now + (SCHEDULE_DAYS + 1) * DAY)),
        scheduledJson,
      ),
      incomplete: partOf(await incompleteVariants(view), incompleteJson),
      broken_links: { ...partOf(links, brokenLinkJson), is_complete: links.isComplete },
      webhooks: seesApis ? partOf(await failingWebhooks(view), webhookJson) : null,
      keys: seesApis
        ? partOf(
            bounded(await expiringKeys(tx, number, timestamp(now + KEY_DAYS * DAY), COUNTED + 1)),
            keyJson,
          )
        : null,
      failed_jobs: partOf(
        bounded(
          await failedJobs(tx, number, {
            since: timestamp(now - JOB_DAYS * DAY),
            limit: COUNTED + 1,
            // Jobs name their items.
            actor: permitsContent(view, 'view-content', EVERYTHING) ? undefined : person?.account,
          }),
        ),
        jobJson,
      ),
      recent: person ? await recent(view, person.account) : [],
    });
  });
}

function partOf<Entry, Json>({ found, isMore }: Found<Entry>, toJson: (entry: Entry) => Json) {
  return { count: found.length, is_more: isMore, entries: found.slice(0, SHOWN).map(toJson) };
}

async function failingWebhooks(view: ProjectView): Promise<Found<WebhookQueue>> {
  const queues = await listWebhookQueues(view);
  return bounded(queues.filter((queue) => queue.enabled && webhookState(queue) !== 'working'));
}

/** The variants that a person changed last, the newest first. */
async function recent(view: ProjectView, user: string) {
  const revisions = await listRevisions(view.tx, view.project.number, {
    user,
    before: [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    limit: OWN_CHANGES,
  });
  const last = new Map<string, Revision>();
  for (const revision of revisions) {
    const key = `${revision.item}/${revision.language ?? ''}`;
    if (!last.has(key)) last.set(key, revision);
  }
  const among = view.tx.among('id', [...new Set(revisions.map(({ item }) => item))]);
  const where = [
    ...['project = ?', among.text, 'archived IS NULL', 'type IS NOT NULL'],
    ...visibleWhere(view, { type: 'type' }),
  ];
  const rows = await view.tx.all<{ id: string; name: string; codename: string | null }>(
    `SELECT id, name, codename FROM item
     WHERE ${where.join(' AND ')}`,
    [view.project.number, among.parameter],
  );
  const items = new Map(rows.map((row) => [row.id, row]));
  return [...last.values()]
    .flatMap(({ item: itemId, language: languageId, at, operation }) => {
      const item = items.get(itemId);
      const language = view.model.languageById.get(languageId ?? '');
      return item && language ? [{ ...namedVariant({ item, language }), at, operation }] : [];
    })
    .slice(0, SHOWN);
}

function scheduledJson({ item, language, at }: ScheduledVariant) {
  return { ...namedVariant({ item, language }), at };
}

function incompleteJson({ item, language, elements }: IncompleteVariant) {
  return { ...namedVariant({ item, language }), elements };
}

function brokenLinkJson({ from, to }: BrokenLink) {
  return { ...namedVariant(from), to: { ...to } };
}

function webhookJson(queue: WebhookQueue) {
  return {
    id: queue.webhook,
    name: queue.name,
    state: webhookState(queue),
    failing_since: queue.failingSince,
  };
}

function keyJson({ id, kind, tail, expires }: KeyListing) {
  return { id, kind, tail, expires };
}

function jobJson({ id, kind, subject, error, updated }: Job) {
  return { id, kind, subject, error, updated };
}

const part = (entries: Record<string, ReturnType<typeof text>>, description: string, more = {}) =>
  closed(
    {
      count: { type: 'integer', minimum: 0, maximum: COUNTED, description: 'How many there are, up to 100.' },
      is_more: flag('There are more than that.'),
      entries: arrayOf(closed(entries), `The first ${SHOWN}.`),
      ...more,
    },
    description,
  );
const variant = { item: schema('AdminAttentionItem'), language: schema('AdminNamed') };
const target = {
  id: id('Id.'),
  name: orNull(text('Name; null while the item is only expected, or where you may not view it.')),
  codename: orNull(text('Codename; null where the name is.')),
};

export const attentionSchemas = {
  AdminAttentionItem: closed(
    { id: id('Id.'), name: text('Name.'), codename: orNull(text('Codename.')) },
    'An item.',
  ),
  AdminAttention: closed(
    {
      scheduled: part(
        { ...variant, at: time('When it is published.') },
        `Variants that are published within ${SCHEDULE_DAYS} days.`,
      ),
      incomplete: part(
        { ...variant, elements: arrayOf(text('Name of the element.'), 'Without a value.') },
        'Variants whose latest version lacks required elements.',
      ),
      broken_links: part(
        { ...variant, to: closed(target, 'The item that is not public.') },
        'Links of public content to items that are not public.',
        {
          is_complete: flag(
            'False: in a large project only the newest content was examined, and links to what was withdrawn lately.',
          ),
        },
      ),
      webhooks: orNull(
        part(
          {
            id: id('Id.'),
            name: text('Name.'),
            state: oneOf(['failing', 'dead'], 'State.'),
            failing_since: orNull(time('First failure since the last success.')),
          },
          'Webhooks that do not work.',
        ),
      ),
      keys: orNull(
        part(
          {
            id: id('Id.'),
            kind: text('Kind.'),
            tail: text('Last characters.'),
            expires: time('When it expires.'),
          },
          `Keys that expire within ${KEY_DAYS} days, or have expired.`,
        ),
      ),
      failed_jobs: part(
        {
          id: id('Id.'),
          kind: text('Kind.'),
          subject: text('What it worked on.'),
          error: orNull(text('Why it failed.')),
          updated: time('When.'),
        },
        `Jobs that failed within ${JOB_DAYS} days; only your own where you may view only some of the content.`,
      ),
      recent: arrayOf(
        closed({ ...variant, at: time('When.'), operation: text('`upsert`, `publish` …') }),
        'What the person who signed in changed last; empty for the admin token.',
      ),
    },
    'What needs attention in a project.',
  ),
};
