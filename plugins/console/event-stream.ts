import { Readable } from 'node:stream';
import type { EventRights } from './event-rights.ts';

/** Bytes that wait for a slow reader; beyond, it misses events and reads everything again. */
const QUEUE_BYTES = 65_536;

/** Server-sent events for one browser (HTML Standard, 9.2). */
export class EventStream extends Readable {
  /** Of the session, and how long it lasts. */
  readonly session: string;
  readonly account: string;
  /** `performance.now()` at which the session ends, unless it was used. */
  endsAt: number;
  /** Up to where the reader has everything that it may see; Infinity until it follows. */
  sequence = Number.POSITIVE_INFINITY;
  /** Text of the last list of who is present. */
  presence = '';
  #rights: EventRights | undefined;
  #hasMissed = false;
  #isFinished = false;
  readonly #position: () => string;

  /** @param position id of the newest event */
  constructor(
    session: string,
    {
      account,
      endsAt,
      rights,
    }: { readonly account: string; readonly endsAt: number; readonly rights: EventRights },
    position: () => string,
  ) {
    super({ highWaterMark: QUEUE_BYTES });
    this.session = session;
    this.account = account;
    this.endsAt = endsAt;
    this.#rights = rights;
    this.#position = position;
  }

  /** Undefined while they are looked up again: what happens meanwhile is missed. */
  get rights(): EventRights | undefined {
    return this.#rights;
  }

  set rights(rights: EventRights | undefined) {
    this.#rights = rights;
    if (rights !== undefined) this.#catchUp();
  }

  /** @param text from `eventText` */
  send(text: string): void {
    if (this.#isFinished || this.destroyed) return;
    if (!this.#hasMissed && this.#rights !== undefined && this.readableLength + text.length <= QUEUE_BYTES)
      this.push(text);
    else this.#hasMissed = true;
  }

  /** The reader has to read everything again. */
  missed(): void {
    this.#hasMissed = true;
  }

  /** Sends a last event. */
  finish(reason: string): void {
    if (this.#isFinished || this.destroyed) return;
    this.#isFinished = true;
    this.push(eventText('bye', { reason }));
    this.push(null);
  }

  override _read(): void {}

  /** The reader has taken everything. */
  override read(size?: number): unknown {
    const taken: unknown = super.read(size);
    if (taken === null) this.#catchUp();
    return taken;
  }

  #catchUp(): void {
    if (!this.#hasMissed || this.#rights === undefined || this.#isFinished || this.readableLength > 0) return;
    this.#hasMissed = false;
    this.push(eventText('resync', {}, this.#position()));
  }
}

/** @param id by which the reader resumes */
export function eventText(event: string, data: unknown, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
