/**
 * Which history of commits a server continues. A standby that is promoted, and a backup that is restored, begin a new one,
 * which may lack the last commits of the one before.
 */
export interface Timeline {
  /** PostgreSQL's identifier of the cluster, which a primary and its standbys share. */
  readonly cluster: string;
  readonly number: number;
}

/** One row. WAL file names begin with the timeline; the control file has it only after the first checkpoint. */
export const READ_TIMELINE = `SELECT system_identifier::text AS cluster,
    ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int AS number
  FROM pg_control_system()`;

export function isOlder(one: Timeline | null, other: Timeline | null): boolean {
  return one !== null && one.cluster === other?.cluster && one.number < other.number;
}

/** As it is stored with the installation; null where the server does not reveal it. */
export function timelineText(timeline: Timeline | null): string | null {
  return timeline && `${timeline.cluster}/${timeline.number}`;
}

/** Whether the data were written on another timeline than that of their server, or lack commits that were seen. */
export function mayLackCommits(
  data: { readonly timeline: string | null; readonly sequence: number },
  server: Timeline | null,
  seen: number,
): boolean {
  return data.sequence < seen || (server !== null && data.timeline !== timelineText(server));
}
