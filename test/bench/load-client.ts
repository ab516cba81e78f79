import { type Child, startChild } from './child.ts';

export interface LoadOrder {
  readonly port: number;
  /**
   * Path with query, percent-encoded; `{n}` becomes the number of the request, so that no two are alike, and
   * `{n%8}` its remainder after division by 8, `{n%8+3}` three more.
   */
  readonly path: string;
  /** GET when absent. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** With the same placeholders as the path. */
  readonly body?: string;
  readonly connections: number;
  /** All connections together. */
  readonly requests: number;
}

export interface LoadResult {
  /** Milliseconds from writing the request to the last byte of the answer. */
  readonly p50: number;
  readonly p99: number;
  readonly perSecond: number;
  /** Body of one answer. */
  readonly bytes: number;
}

/** The client that makes the load, in a process of its own. */
export interface LoadClient {
  run(order: LoadOrder): Promise<LoadResult>;
  end(): Promise<void>;
}

export function startLoadClient(): LoadClient {
  const child: Child<LoadOrder, LoadResult> = startChild('load.ts');
  return { run: (order) => child.ask(order), end: () => child.end() };
}
