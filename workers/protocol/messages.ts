import type { WorkerFailure } from '../contract.ts';
import type { Parcel } from './parcel.ts';

/** Goes up when a message changes its meaning; both ends must have the same. */
export const PROTOCOL = 1;

/** The first words of the end that does the work. */
export interface Greeting {
  readonly kind: 'greeting';
  readonly protocol: number;
  /** Version of what makes pictures: both ends must have the same, or one URL has two answers. */
  readonly encoder: string;
  /** Tasks it does at once. */
  readonly slots: number;
  /** Over the network: to be answered with the proof of the shared token. */
  readonly nonce: string;
}

/** The first words of the end that asks; only then may it ask for anything. */
export interface Introduction {
  readonly kind: 'introduction';
  /** HMAC-SHA256 of the nonce with the shared token, in hex; empty on a socket of our own. */
  readonly proof: string;
}

/** The introduction is believed; requests may come. */
export interface Welcome {
  readonly kind: 'welcome';
}

export interface Request extends Parcel {
  readonly kind: 'request';
  readonly id: number;
  readonly task: string;
  /** Until nobody wants the result any more. */
  readonly milliseconds: number;
}

export interface Result extends Parcel {
  readonly kind: 'result';
  readonly id: number;
  /** Resident bytes of the process that did it. */
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
