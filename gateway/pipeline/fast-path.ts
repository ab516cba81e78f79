import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Exchange, OnRequestResult } from '../../plugins/contract.ts';
import { mayHaveBody } from '../../plugins/http/unread-body.ts';
import { type ReadyResponse, writeSoon } from '../listeners/ready-writes.ts';
import type { FastPathProgress, Stage } from './chain.ts';

/** The fast path reads no body. */
export function isFastPathRequest(request: IncomingMessage): boolean {
  return (request.method === 'GET' || request.method === 'HEAD') && !mayHaveBody(request);
}

/** A request on the fast path, and where it left it: Koa continues there. */
export class FastExchange implements Exchange, FastPathProgress, ReadyResponse {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly state: Exchange['state'];
  readonly fastHeaders: string[] = [];
  /** Of `fastSend`; empty where it has not been called. */
  head = '';
  body: Buffer | undefined = undefined;
  isRead = false;
  readonly #onEnded: (exchange: FastExchange) => void;
  /** Stages that are done. */
  #done = 0;
  /** `onRequest` of the stage after these ran and did not return `next`. */
  #hasStopped = false;
  #thrown: { readonly error: unknown } | undefined;

  /** @param onEnded called when what `fastSend` was given has been sent, or cannot be */
  constructor(
    req: IncomingMessage,
    res: ServerResponse,
    state: Exchange['state'],
    onEnded: (exchange: FastExchange) => void,
  ) {
    this.req = req;
    this.res = res;
    this.state = state;
    this.#onEnded = onEnded;
  }

  fastSend(status: number, head: string, body: Buffer | undefined): void {
    this.res.statusCode = status;
    this.head = head;
    this.body = body;
    writeSoon(this);
  }

  ended(): void {
    this.#onEnded(this);
  }

  set(name: string, value: string): void {
    this.fastHeaders.push(name, value);
  }

  /** Runs `onRequest` of the stages, up to the first that needs Koa; returns whether the response is complete. */
  run({ steps, length }: FastPath): boolean {
    try {
      for (const { at, onRequest } of steps) {
        this.#done = at;
        const result = onRequest(this);
        if (result === 'next') continue;
        this.#hasStopped = true;
        return result === 'responded';
      }
      this.#done = length;
    } catch (error) {
      this.#hasStopped = true;
      this.#thrown = { error };
    }
    return false;
  }

  resultOf(at: number): OnRequestResult | undefined {
    if (at < this.#done) return 'next';
    if (at > this.#done || !this.#hasStopped) return undefined;
    if (this.#thrown !== undefined) throw this.#thrown.error;
    return 'handle';
  }
}

/** The stages that need no Koa. Ten, log line and counters included, cost about two Koa middlewares. */
export interface FastPath {
  readonly length: number;
  readonly steps: readonly { readonly at: number; readonly onRequest: NonNullable<Stage['onRequest']> }[];
}

export function fastPathOf(stages: readonly Stage[]): FastPath {
  const end = stages.findIndex(({ onRequest, handle, wraps }) => !onRequest && handle && !wraps);
  const length = end === -1 ? stages.length : end;
  const steps = stages
    .slice(0, length)
    .flatMap((stage, at) => (stage.onRequest ? [{ at, onRequest: stage.onRequest.bind(stage) }] : []));
  return { length, steps };
}
