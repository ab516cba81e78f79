import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { HEADERS } from '../protocol/wire.ts';
import { ReplyBody } from './reply-body.ts';

export interface Reply {
  readonly status: number;
  /** `answer`, `error` or `refused`; anything else where the other end is no core. */
  readonly outcome: string | undefined;
  /** Value of `headwater-head`. */
  readonly head: string | undefined;
  readonly body: ReplyBody;
}

/** A call from its sending to the end of its answer; undici reports the progress. */
export class PendingCall implements Dispatcher.DispatchHandler {
  /** Rejects with the error of the connection, or what cancelled the call. */
  readonly reply: Promise<Reply>;
  /** A connection exists and the call is being written: core may have begun it. */
  isSent = false;
  readonly #ended: () => void;
  #settle!: { resolve: (reply: Reply) => void; reject: (reason: unknown) => void };
  #controller: Dispatcher.DispatchController | undefined;
  #body: ReplyBody | undefined;
  #hasEnded = false;

  /** @param ended called once, when the call needs nothing of core any more */
  constructor(ended: () => void) {
    this.#ended = ended;
    this.reply = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
  }

  cancel(reason: unknown): void {
    if (this.#hasEnded) return;
    const error = reason instanceof Error ? reason : new Error(String(reason));
    this.#end(error);
    this.#controller?.abort(error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#hasEnded) controller.abort(new Error('The call was cancelled before it was sent.'));
    else this.isSent = true;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (this.#hasEnded) return;
    // Core sends only streams without a length.
    this.#body = new ReplyBody(controller, headers['content-length'] !== undefined);
    this.#settle.resolve({
      status,
      outcome: headers[HEADERS.outcome] as string | undefined,
      head: headers[HEADERS.head] as string | undefined,
      body: this.#body,
    });
  }

  onResponseData(_: Dispatcher.DispatchController, piece: Buffer): void {
    this.#body?.add(piece);
  }

  onResponseEnd(): void {
    this.#end();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#end(error);
  }

  #end(failure?: Error): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#ended();
    if (this.#body) this.#body.end(failure);
    else this.#settle.reject(failure);
  }
}
