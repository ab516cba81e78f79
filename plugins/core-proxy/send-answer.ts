import { Readable } from 'node:stream';
import { type CancelSignal, type CoreAnswer, isWhole } from '../../core/contract.ts';
import { Pieces } from '../caching/pieces.ts';
import type { GatewayContext } from '../contract.ts';
import { answerStream } from './answer-stream.ts';

const NOTHING = Buffer.alloc(0);
/** A larger answer is sent in pieces. As one, 190 kB take 0.02 ms more and 800 kB 0.1 ms. */
const LARGEST_JOINED = 65_536;

export interface SendOptions {
  /** How far a stream is read ahead of a slow client, in bytes. */
  readonly streamBufferBytes: number;
  readonly onBrokenStream: (error: unknown, ctx: GatewayContext) => void;
  /** Lower-case name of the header with the sequence that an answer shows. */
  readonly sequenceHeader: string;
}

/** Makes core's answer that of the request. */
export async function sendAnswer(
  ctx: GatewayContext,
  answer: CoreAnswer,
  disconnected: CancelSignal,
  options: SendOptions,
): Promise<void> {
  ctx.state.answer = answer;
  ctx.status = answer.status;
  for (const header in answer.headers) {
    // Other plugins may have named in `Vary` what else the answer depends on.
    if (header === 'vary') ctx.vary(answer.headers[header]!);
    else ctx.res.setHeader(header, answer.headers[header]!);
  }
  if (answer.sequence !== undefined) ctx.res.setHeader(options.sequenceHeader, String(answer.sequence));
  if (answer.body === null) sendNothing(ctx);
  else if (isWhole(answer.body)) sendWhole(ctx, answer.body);
  else ctx.body = await streamOf(ctx, answer.body, disconnected, options);
}

function sendWhole(ctx: GatewayContext, body: readonly Uint8Array[]): void {
  const length = body.length === 1 ? 0 : body.reduce((sum, piece) => sum + piece.length, 0);
  if (body.length === 1 || length <= LARGEST_JOINED) {
    ctx.body = joined(body);
    return;
  }
  ctx.body = new Pieces(body, length);
  ctx.length = length;
}

async function streamOf(
  ctx: GatewayContext,
  body: AsyncIterable<Uint8Array>,
  disconnected: CancelSignal,
  { streamBufferBytes, onBrokenStream }: SendOptions,
): Promise<Readable> {
  const source = body[Symbol.asyncIterator]();
  if (ctx.method === 'HEAD') {
    await source.return?.();
    return Readable.from([]);
  }
  const onFailure = (error: unknown) => onBrokenStream(error, ctx);
  return answerStream(await source.next(), source, streamBufferBytes, disconnected, onFailure);
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

function joined(chunks: readonly Uint8Array[]): Buffer {
  const [only] = chunks;
  if (chunks.length !== 1 || only === undefined) return Buffer.concat(chunks);
  return Buffer.isBuffer(only) ? only : Buffer.from(only.buffer, only.byteOffset, only.byteLength);
}
