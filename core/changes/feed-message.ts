import type { ProcessState } from '../process-identity.ts';
import type { FeedPosition } from './change-feed.ts';
import type { FeedCommit } from './change-log.ts';
import type { ReportMessage } from './gateway-reports.ts';

/**
 * What a link carries: where it starts, then commits in order, and heartbeats. It starts again behind commits that cannot be
 * delivered.
 */
export type FeedMessage =
  | ({
      readonly kind: 'start';
      readonly time: number;
      readonly process?: ProcessState;
      /** Names the clock of all times: commits in a stream say whose times they have. */
      readonly core?: string;
    } & FeedPosition)
  | ({ readonly kind: 'commit' } & FeedCommit)
  /** Every commit until `time`, by the same clock, has been sent. */
  | {
      readonly kind: 'heartbeat';
      readonly time: number;
      /** When it was sent; absent from versions before it, where it was sent at `time`. */
      readonly sent?: number;
    }
  /** Only to gateways that can report. */
  | ReportMessage;

export type QueuedMessage = Exclude<FeedMessage, { readonly kind: 'heartbeat' | 'report' }>;
