/** An ended request as operators see it in the console. It holds no secret: no query, header or body. */
export interface RecentRequest {
  /** Counts those of the process. */
  readonly number: number;
  /** ISO 8601. */
  readonly at: string;
  readonly id: string | null;
  readonly surface: string;
  readonly method: string;
  /** Without query. */
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  readonly bytes: number | null;
  readonly cache: string | null;
  readonly limiter: string | null;
  /** Id of the key. */
  readonly key: string | null;
  /** Address of the client. */
  readonly client: string;
}
