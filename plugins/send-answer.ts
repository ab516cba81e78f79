import { Readable } from 'node:stream';
import type { CoreAnswer } from '../core/contract.ts';
import { answerStream } from './answer-stream.ts';
import { clientSignal } from './client-left.ts';
import type { GatewayContext } from './contract.ts';

const NOTHING = Buffer.alloc(0);
/** A larger answer is sent in the pieces it was made of: to copy 30 MB takes 50 ms. */
const LARGEST_JOINED = 1_048_576;

export interface SendOptions {
  /** How far a stream is read ahead of a slow client, in bytes. */
  readonly streamBufferBytes: number;
  readonly onBrokenStream: (error: unknown) => void;
  /** Lower-case name of the header that tells the sequence an answer shows. */
  readonly sequenceHeader: string;
}

/** `X-<VENDOR>-Content-Sequence` in lower case; answers carry the first vendor's. */
export function sequenceHeader(vendor: string): string {
  return `x-${vendor.toLowerCase()}-content-sequence`;
}

/** Makes core's answer the answer of the request. */
export async function sendAnswer(
  ctx: GatewayContext,
  answer: CoreAnswer,
  options: SendOptions,
): Promise<void> {
  ctx.state.answer = answer;
  ctx.status = answer.status;
  for (const header in answer.headers) {
    // Another plugin may have said already what else the answer depends on.
    if (header === 'vary') ctx.vary(answer.headers[header]!);
    else ctx.res.setHeader(header, answer.headers[header]!);
  }
  if (answer.sequence !== undefined) ctx.res.setHeader(options.sequenceHeader, String(answer.sequence));
  if (answer.body === null) sendNothing(ctx);
  else if (isWhole(answer.body)) sendWhole(ctx, answer.body);
  else ctx.body = await streamOf(ctx, answer.body, options);
}

function sendWhole(ctx: GatewayContext, body: readonly Uint8Array[]): void {
  const length = body.length === 1 ? 0 : body.reduce((sum, piece) => sum + piece.length, 0);
  if (length <= LARGEST_JOINED) {
    ctx.body = joined(body);
    return;
  }
  ctx.body = Readable.from(body);
  ctx.length = length;
}

async function streamOf(
  ctx: GatewayContext,
  body: AsyncIterable<Uint8Array>,
  { streamBufferBytes, onBrokenStream }: SendOptions,
): Promise<Readable> {
  const source = body[Symbol.asyncIterator]();
  if (ctx.method === 'HEAD') {
    await source.return?.();
    return Readable.from([]);
  }
  const clientGone = clientSignal(ctx.res);
  return answerStream(await source.next(), source, streamBufferBytes, clientGone, onBrokenStream);
}

/** Koa makes a 204 of every answer whose body is null, and gives an empty one a type. */
function sendNothing(ctx: GatewayContext): void {
  if (ctx.status === 204 || ctx.status === 304) {
    ctx.body = null;
    return;
  }
  const typed = ctx.res.hasHeader('content-type');
  ctx.body = NOTHING;
  if (!typed) ctx.remove('content-type');
}

export function isWhole(body: CoreAnswer['body']): body is readonly Uint8Array[] {
  return Array.isArray(body);
}

export function joined(chunks: readonly Uint8Array[]): Buffer {
  const [only] = chunks;
  if (chunks.length !== 1 || only === undefined) return Buffer.concat(chunks);
  return Buffer.isBuffer(only) ? only : Buffer.from(only.buffer, only.byteOffset, only.byteLength);
}

/** The same bytes in memory of their own: a small piece of a large buffer keeps all of it. */
export function ownBytes(body: Buffer): Buffer {
  if (body.buffer.byteLength <= 1.25 * body.length) return body;
  const own = Buffer.allocUnsafeSlow(body.length);
  body.copy(own);
  return own;
}
