/** Kind of the job of an import. */
export const IMPORT = 'import';

/**
 * The project p is not whole: the job j imports it, or has yet to remove it. It was archived when the job began; one
 * that somebody archived later, of an earlier version's import, is none of these.
 */
export const IS_IMPORTED = `j.kind = '${IMPORT}' AND j.state IN ('running', 'canceled') AND p.archived = j.created`;
