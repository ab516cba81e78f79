import { type AuditEntry, listAudit } from '../access/audit.ts';
import { listRevisions, type Revision } from '../changes/revisions.ts';
import { ServiceError } from '../errors.ts';
import { closed, count, id, orNull, text, time } from '../http/openapi-shapes.ts';
import { containing } from '../model/like-pattern.ts';
import { visibleWhere } from '../transaction/content-access.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import { type Answer, afterOf, type Call, limitOf, pageAnswer, referenceTo, timeIn } from './call.ts';
import { anyLanguageOf } from './content-query.ts';
import { item, language, pages, query, routesOf } from './route.ts';

const NEWEST = Number.MAX_SAFE_INTEGER;

const route = routesOf({ read: 'view-content', write: 'view-content' });

export const historyRoutes = [
  route('GET projects/:project/revisions', {
    id: 'listRevisions',
    summary: 'List changes with their users and times',
    ...pages('revisions', 'AdminRevision', [item, language]),
    handler: revisions,
  }),
  route('GET audit', {
    id: 'listAudit',
    summary: 'List the audit log',
    permission: 'operator',
    ...pages('audit', 'AdminAuditEntry', [
      query('project', 'Id of a project.'),
      query('actor', 'Who: the id of a user, `admin token` or `command line`.'),
      query('act', 'Part of the call.'),
      query('from', 'Entries from this time on; ISO 8601; UTC without a zone.'),
      query('to', 'Entries before this time; the same.'),
    ]),
    handler: audit,
  }),
];

async function revisions({ operations, at, query }: Call): Promise<Answer> {
  const before = afterOf(query, [NEWEST, NEWEST] as readonly [number, number]);
  const limit = limitOf(query);
  const rows = await operations.read(at('project'), async (view) => {
    const item = await itemId(view, query.get('item') ?? '');
    const language = query.get('language');
    return listRevisions(view.tx, view.project.number, {
      before,
      limit: limit + 1,
      conditions: viewable(view),
      ...(item !== undefined && { item }),
      ...(language && { language: anyLanguageOf(view, language).id }),
    });
  });
  return pageAnswer('revisions', rows, limit, ({ sequence, part }) => [sequence, part], revisionJson);
}

/** Conditions on change `c` that keep the history to the content that the person may view. */
function viewable(view: ProjectView): readonly string[] {
  const variants = visibleWhere(view, { type: 'i.type', language: 'l.number' });
  if (variants.length === 0) return [];
  const items = visibleWhere(view, { type: 'i.type' });
  const ofItem = ['l.number IS NULL', ...items].join(' AND ');
  // The object of a change is the id of an item, or `<item>/<language>`.
  return [
    `EXISTS (SELECT 1 FROM item i LEFT JOIN language l ON l.project = i.project AND l.id = substr(c.object, 38)
       WHERE i.project = c.project AND i.id = substr(c.object, 1, 36) AND (${ofItem} OR ${variants.join(' AND ')}))`,
  ];
}

async function audit({ operations, query }: Call): Promise<Answer> {
  const [before] = afterOf(query, [NEWEST]);
  const limit = limitOf(query);
  const project = query.get('project')?.toLowerCase() ?? '';
  const actor = query.get('actor') ?? '';
  const act = query.get('act') ?? '';
  const from = timeIn(query, 'from');
  const to = timeIn(query, 'to');
  const rows = await listAudit(operations.reader.sql, {
    before,
    limit: limit + 1,
    ...(project !== '' && { project }),
    ...(actor !== '' && { actor }),
    ...(act !== '' && { act: containing(act) }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  });
  return pageAnswer('audit', rows, limit, ({ number }) => [number], auditJson);
}

/** The history of a deleted item stays available by its id. */
async function itemId(view: ProjectView, given: string): Promise<string | undefined> {
  if (given === '') return undefined;
  const { id, codename } = referenceTo(given);
  if (id !== undefined) return id;
  const where = ['project = ?', 'codename = ?', ...visibleWhere(view, { type: 'type' })];
  const row = await view.tx.get<{ id: string }>(`SELECT id FROM item WHERE ${where.join(' AND ')}`, [
    view.project.number,
    codename ?? '',
  ]);
  if (!row) throw new ServiceError('itemNotFound', `There is no content item '${given}'.`);
  return row.id;
}

function revisionJson({ sequence, at, type, operation, item, language, user }: Revision) {
  return {
    sequence,
    at,
    type,
    operation,
    item: { id: item },
    language: language === null ? null : { id: language },
    user,
  };
}

function auditJson({ number, at, act, subject, project, actor, origin, request, detail }: AuditEntry) {
  return { id: number, at, act, subject, project, actor, origin, request_id: request, detail };
}

export const historySchemas = {
  AdminRevision: closed<keyof ReturnType<typeof revisionJson>>(
    {
      sequence: count('Sequence of the change.'),
      at: time('When.'),
      type: { enum: ['content_item', 'content_item_variant'], description: 'What changed.' },
      operation: text('`create`, `upsert`, `publish` …'),
      item: closed({ id: id('Id of the item.') }, 'The item.'),
      language: orNull(
        closed({ id: id('Id of the language.') }, "The variant's language; null = the item itself."),
      ),
      user: orNull(
        closed(
          { id: id('Id of the user.'), name: orNull(text('Name of the user.')) },
          'Whose key it was done with; null = the installation.',
        ),
      ),
    },
    'A change of an item or of a variant of it.',
  ),
  AdminAuditEntry: closed<keyof ReturnType<typeof auditJson>>(
    {
      id: count('Number of the entry.'),
      at: time('When.'),
      act: text('The call: `POST projects/:project/publish`.'),
      subject: text('Path of the call.'),
      project: orNull(id('Id of the project.')),
      actor: text('Who: `admin token`, `command line`, or the id of a user.'),
      origin: orNull(text('Address of the client; null = this machine.')),
      request_id: orNull(text('The same as in `X-Request-ID`.')),
      detail: text('The known properties of the body as JSON; cut if they are long.'),
    },
    'An entry of the audit log.',
  ),
};
