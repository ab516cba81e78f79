import type { TaskOrigin, WorkerFailure } from '../contract.ts';
import type { PackedRecord } from './packed-record.ts';

/** Raised when a message changes its meaning; both ends must have the same. */
export const PROTOCOL = 1;

/** First message of the worker. */
export interface Greeting {
  readonly kind: 'greeting';
  readonly protocol: number;
  /** Version of the encoder: both ends must have the same, or one URL has two answers. */
  readonly encoder: string;
  /** Tasks it runs at a time. */
  readonly slots: number;
  /** Over the network: the client answers it with the proof of the shared token. */
  readonly nonce: string;
}

/** First message of the client; requests before it are refused. */
export interface Introduction {
  readonly kind: 'introduction';
  /** HMAC-SHA256 of the nonce with the shared token, in hex; empty on a socket pair. */
  readonly proof: string;
}

/** Accepts the introduction; requests may follow. */
export interface Welcome {
  readonly kind: 'welcome';
}

export interface Request extends PackedRecord {
  readonly kind: 'request';
  readonly id: number;
  readonly task: string;
  /** Time left until the client's deadline. */
  readonly milliseconds: number;
  readonly origin?: TaskOrigin | undefined;
  /** Other requests of the same source run or will follow. */
  readonly sharesSource?: boolean;
  /** It needs much memory. */
  readonly isLarge?: boolean;
}

export interface Result extends PackedRecord {
  readonly kind: 'result';
  readonly id: number;
  /** Resident bytes of the worker process. */
  readonly resident: number;
}

export interface Failure {
  readonly kind: 'failure';
  readonly id: number;
  readonly failure: WorkerFailure;
  readonly message: string;
  readonly retryAfter?: number | undefined;
  readonly resident: number;
}

export type Message = Greeting | Introduction | Welcome | Request | Result | Failure;
