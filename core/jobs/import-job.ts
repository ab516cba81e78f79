/** Kind of the job of an import. */
export const IMPORT = 'import';

/**
 * SQL: the job j is importing the project p, or must still remove it. The project was archived when the job started, at
 * the same time; a project with another time was archived by a user.
 */
export const IS_IMPORTED = `j.kind = '${IMPORT}' AND j.state IN ('running', 'canceled') AND p.archived = j.created`;
