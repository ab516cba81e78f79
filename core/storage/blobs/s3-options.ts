import type { CoreLog } from '../../log.ts';

/** In milliseconds. */
export interface S3Deadlines {
  /** For a connection, of which each call may try two. */
  readonly connect: number;
  /** A call without an answer, or a transfer without a byte, for so long has failed; while the store is waited for. */
  readonly silent: number;
  /** A reader that takes nothing for so long has no transfer; it gets another one for the rest. */
  readonly paused: number;
}

export const S3_DEADLINES: S3Deadlines = { connect: 2000, silent: 10_000, paused: 5000 };

export interface S3BucketOptions {
  readonly bucket: string;
  /** In front of all names, with a slash at the end; or empty. */
  readonly prefix: string;
  readonly endpoint: string | undefined;
  readonly region: string;
  readonly pathStyle: boolean;
  /** Those of the environment, of a file or of the machine, as the client library finds them, unless given. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
  readonly deadlines?: S3Deadlines;
  /** Where it is logged that the store does not answer, and that it answers again. */
  readonly log?: Pick<CoreLog, 'info' | 'warn'>;
}

export interface S3Options extends S3BucketOptions {
  readonly cache: { readonly folder: string; readonly bytes: number };
}
