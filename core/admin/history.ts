import { listRevisions, type Revision } from '../changes/revisions.ts';
import { ServiceError } from '../errors.ts';
import { findReferred } from '../model/reference.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import { type AuditEntry, listAudit } from './audit.ts';
import { type Answer, afterOf, type Call, limitOf, pageAnswer, referenceTo, route } from './call.ts';

const NEWEST = Number.MAX_SAFE_INTEGER;

export const historyRoutes = [
  route('GET', 'projects/:project/revisions', revisions),
  route('GET', 'audit', audit),
];

async function revisions({ operations, at, query }: Call): Promise<Answer> {
  const before = afterOf(query, [NEWEST, NEWEST] as readonly [number, number]);
  const limit = limitOf(query);
  const rows = await operations.read(at('project'), async (view) => {
    const item = await itemId(view, query.get('item') ?? '');
    const language = languageId(view, query.get('language') ?? '');
    return listRevisions(view.tx, view.project.number, {
      before,
      limit: limit + 1,
      ...(item !== undefined && { item }),
      ...(language !== undefined && { language }),
    });
  });
  return pageAnswer('revisions', rows, limit, ({ sequence, part }) => [sequence, part], revisionJson);
}

async function audit({ operations, query }: Call): Promise<Answer> {
  const [before] = afterOf(query, [NEWEST]);
  const limit = limitOf(query);
  const project = query.get('project')?.toLowerCase() ?? '';
  const rows = await listAudit(operations.reader.sql, {
    before,
    limit: limit + 1,
    ...(project !== '' && { project }),
  });
  return pageAnswer('audit', rows, limit, ({ number }) => [number], auditJson);
}

/** An item that was archived for good still has a history under its id. */
async function itemId({ tx, project }: ProjectView, given: string): Promise<string | undefined> {
  if (given === '') return undefined;
  const { id, codename } = referenceTo(given);
  if (id !== undefined) return id;
  const row = await tx.get<{ id: string }>('SELECT id FROM item WHERE project = ? AND codename = ?', [
    project.number,
    codename ?? '',
  ]);
  if (!row) throw new ServiceError('itemNotFound', `There is no content item '${given}'.`);
  return row.id;
}

function languageId({ model }: ProjectView, given: string): string | undefined {
  if (given === '') return undefined;
  const language = findReferred(model.languages, referenceTo(given));
  if (!language) throw new ServiceError('languageNotFound', `There is no language '${given}'.`);
  return language.id;
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
