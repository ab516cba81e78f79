/** Kinds of jobs, as they are stored; the README of this folder describes them. */
const JOB_KINDS = [
  'recompile',
  'listing',
  'scheduled-publish',
  'act-on-many',
  'import',
  'export',
  'clone',
  'webhook-replay',
] as const;

export const [RECOMPILE, LISTING, SCHEDULE, ACT_ON_MANY, IMPORT, EXPORT, CLONE, REPLAY] = JOB_KINDS;

export type JobKind = (typeof JOB_KINDS)[number];

/**
 * SQL: the job j is importing the project p, or must still remove it. The project was archived when the job started, at
 * the same time; a project with another time was archived by a user.
 */
export const IS_IMPORTED = `j.kind = '${IMPORT}' AND j.state IN ('running', 'canceled') AND p.archived = j.created`;

/** SQL: numbers of the projects that are imported. They have rows of files whose content is stored only at the end. */
export const IMPORTED = `SELECT p.number FROM project p JOIN job j ON j.project = p.number WHERE ${IS_IMPORTED}`;
