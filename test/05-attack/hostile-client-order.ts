import type { Target } from './hostile-requests.ts';

export interface HostileOrder {
  readonly seed: number;
  readonly port: number;
  readonly tlsPort: number;
  readonly target: Target;
  readonly clients: number;
  readonly seconds: number;
}

export interface HostileReply {
  readonly seconds: number;
  readonly requests: number;
  /** Kind and status (or what happened instead) → how often: `filters 400`. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly bytes: number;
  /** CPU of the process that sends, in milliseconds. */
  readonly cpu: number;
}
