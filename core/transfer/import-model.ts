import { addFieldNumbers } from '../content/field-numbers.ts';
import { LANGUAGE_SPAN } from '../content/model.ts';
import type { Session } from '../session.ts';
import type { SqlValue } from '../storage/ports.ts';
import { type ArchiveModel, damaged } from './archive-rows.ts';

/** The whole model of a project that has only its default language. Does nothing when it is there. */
export async function importModel(session: Session, model: ArchiveModel): Promise<void> {
  if (await hasModel(session)) return;
  const { tx, project } = session;
  await importLanguages(session, model);
  await tx.run('UPDATE project SET sitemap = ?, asset_folders = ?, folders_changed = ? WHERE number = ?', [
    model.sitemap,
    model.asset_folders,
    model.folders_changed,
    project.number,
  ]);
  await numbered(session, 'taxonomy', ['terms', 'last_modified', 'archived'], model.taxonomies);
  await numbered(session, 'snippet', ['elements', 'last_modified'], model.snippets);
  await session.modelChanged();
  const types: object[] = [];
  for (const type of model.types) {
    const fields = await addFieldNumbers(tx, {}, JSON.parse(type.elements), session.model.snippetById);
    types.push({ ...type, fields: JSON.stringify(fields) });
  }
  await numbered(session, 'content_type', ['elements', 'content_groups', 'fields', 'last_modified'], types);
  await session.modelChanged();
}

/** What can be written once only; an import that goes on has it already. */
async function hasModel({ tx, project, model }: Session): Promise<boolean> {
  const row = await tx.get(
    ['taxonomy', 'snippet', 'content_type']
      .map((table) => `SELECT id FROM ${table} WHERE project = ?`)
      .join(' UNION ALL '),
    [project.number, project.number, project.number],
  );
  return row !== undefined || model.languages.length > 1;
}

/** The default language is there from the start, under its own number. */
async function importLanguages({ tx, project, model: { defaultLanguage } }: Session, model: ArchiveModel) {
  const standard = model.languages.find(({ is_default }) => is_default === 1);
  const others = model.languages.filter((language) => language !== standard);
  const ordinals = new Set(model.languages.map(({ ordinal }) => ordinal));
  if (!standard || ordinals.size !== model.languages.length || Math.max(...ordinals) >= LANGUAGE_SPAN)
    throw damaged('its languages are wrong');
  await tx.run('UPDATE language SET name = ?, codename = ?, external_id = ?, ordinal = ? WHERE number = ?', [
    standard.name,
    standard.codename,
    standard.external_id,
    standard.ordinal,
    defaultLanguage.number,
  ]);
  const first = await tx.numbers('language', others.length);
  await tx.insert(
    'language',
    [
      'number',
      'project',
      'ordinal',
      'id',
      'name',
      'codename',
      'external_id',
      'active',
      'is_default',
      'fallback',
    ],
    others.map((language, index) => [
      first + index,
      project.number,
      language.ordinal,
      language.id,
      language.name,
      language.codename,
      language.external_id,
      language.active === 0 ? 0 : 1,
      0,
      language.fallback,
    ]),
  );
}

async function numbered(
  { tx, project }: Session,
  table: 'taxonomy' | 'snippet' | 'content_type',
  more: readonly string[],
  rows: readonly object[],
): Promise<void> {
  const columns = ['id', 'name', 'codename', 'external_id', ...more];
  const first = await tx.numbers(table, rows.length);
  await tx.insert(
    table,
    ['number', 'project', ...columns],
    rows.map((row, index) => [
      first + index,
      project.number,
      ...columns.map((column) => (Reflect.get(row, column) ?? null) as SqlValue),
    ]),
  );
}
