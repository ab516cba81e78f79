/** Kinds of jobs, as they are stored; the README of this folder describes them. */
export const RECOMPILE = 'recompile';
export const LISTING = 'listing';
export const SCHEDULE = 'scheduled-publish';
export const ACT_ON_MANY = 'act-on-many';
export const IMPORT = 'import';
export const EXPORT = 'export';
export const CLONE = 'clone';
export const REPLAY = 'webhook-replay';

export type JobKind =
  | typeof RECOMPILE
  | typeof LISTING
  | typeof SCHEDULE
  | typeof ACT_ON_MANY
  | typeof IMPORT
  | typeof EXPORT
  | typeof CLONE
  | typeof REPLAY;

/**
 * SQL: the job j is importing the project p, or must still remove it. The project was archived when the job started, at
 * the same time; a project with another time was archived by a user.
 */
export const IS_IMPORTED = `j.kind = '${IMPORT}' AND j.state IN ('running', 'canceled') AND p.archived = j.created`;
