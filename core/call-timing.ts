/** Where the time of one request to core went, in milliseconds. Parts that run at once add up. */
export interface CallTiming {
  /** Waiting for a connection of the database, or for the turn to write. */
  queue: number;
  /** Reads, and transactions with their commit. */
  database: number;
  /** Waiting for workers that transform images. */
  workers: number;
  /** From the arrival of the call at core to its answer; undefined where core runs in the process of its caller. */
  total: number | undefined;
}

export function newCallTiming(): CallTiming {
  return { queue: 0, database: 0, workers: 0, total: undefined };
}

/** The parts as fields of a log line. */
export function timingLogFields({ queue, database, workers }: CallTiming): object {
  return {
    queue_ms: roundedMilliseconds(queue),
    database_ms: roundedMilliseconds(database),
    workers_ms: roundedMilliseconds(workers),
  };
}

export function roundedMilliseconds(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100;
}
