import type { Language } from '../model/model.ts';
import { visibleWhere } from '../transaction/content-access.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import { type Allowed, allowedWithVariant } from './allowed-acts.ts';

/** A scheduled variant. */
export interface DueVariant {
  /** When it is published. */
  readonly at: string;
  /** Job of its schedule; variants of one schedule are published together. */
  readonly schedule: string;
  readonly item: { readonly id: string; readonly name: string; readonly codename: string };
  readonly language: Language;
  readonly allowed: readonly Allowed[];
}

/** Variants that are due from one time until before another, in the order of time. */
export async function dueVariants(
  view: ProjectView,
  {
    from,
    to,
    skip,
    limit,
  }: {
    readonly from: string;
    readonly to: string;
    readonly skip: number;
    readonly limit: number;
  },
): Promise<DueVariant[]> {
  const { tx, project, model } = view;
  const conditions = [
    'v.scheduled_to >= ?',
    'v.scheduled_to < ?',
    // The plus keeps the planner from starting with all items of the project.
    '+i.project = ?',
    'v.archived IS NULL',
    'i.archived IS NULL',
    ...visibleWhere(view, { type: 'i.type', language: 'v.language' }),
  ];
  const rows = await tx.all<{
    at: string;
    schedule: string;
    id: string;
    name: string;
    codename: string;
    type: number;
    language: number;
  }>(
    `SELECT v.scheduled_to AS at, v.schedule AS schedule, i.id AS id, i.name AS name, i.codename AS codename,
       i.type AS type, v.language AS language
     FROM variant v JOIN item i ON i.number = v.item
     WHERE ${conditions.join(' AND ')}
     ORDER BY v.scheduled_to, v.number LIMIT ? OFFSET ?`,
    [from, to, project.number, limit, skip],
  );
  return rows.flatMap(({ at, schedule, type: typeNumber, language: number, ...item }) => {
    const type = model.typeByNumber.get(typeNumber);
    const language = model.languageByNumber.get(number);
    if (!type || !language) return [];
    return [
      {
        at,
        schedule,
        item,
        language,
        allowed: allowedWithVariant(view, type, { language, scheduledTo: at }),
      },
    ];
  });
}
