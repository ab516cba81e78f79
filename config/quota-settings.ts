import { z } from 'zod';
import { CORE_ROLES } from './role-settings.ts';

/** Surfaces whose calls are counted, and which may have a quota. */
export const COUNTED_SURFACES = ['delivery', 'preview', 'manage', 'assets'] as const;
export type CountedSurface = (typeof COUNTED_SURFACES)[number];

function perSurface<Schema extends z.ZodType>(schemaOf: (surface: CountedSurface) => Schema) {
  const entries = COUNTED_SURFACES.map((surface) => [surface, schemaOf(surface)]);
  return z.strictObject(Object.fromEntries(entries) as Record<CountedSurface, Schema>);
}

const calls = z.int().min(0).nullable();
const ofAllProjects = (period: string) =>
  perSurface((surface) => calls.default(null).describe(`Calls of ${surface} a project has a ${period}.`))
    .prefault({})
    .describe(`Calls a project has a ${period} (UTC), by surface; null = unlimited.`);
const ofOneProject = perSurface(() => calls.optional()).optional();

export const quotaSettings = z
  .strictObject({
    day: ofAllProjects('day'),
    month: ofAllProjects('month'),
    projects: z
      .record(
        z.guid('must be the id of a project'),
        z.strictObject({ day: ofOneProject, month: ofOneProject }),
      )
      .default({})
      .describe('For single projects, by id, in place of the above: {<id>: {month: {delivery: 100000}}}.'),
  })
  .prefault({})
  .meta({
    roles: CORE_ROLES,
    description: 'Most calls of a project; off unless set. The plugin usage counts them.',
  });
