import type { ServerResponse } from 'node:http';
import type { CallTiming } from '../../call-timing.ts';
import type { ServiceError } from '../../errors.ts';
import { type CoreAnswer, isWhole } from '../../http/request.ts';
import { type AnswerHead, type ErrorBody, HEADERS, type Outcome, toHeader } from '../protocol/wire.ts';

/** A shorter body is written together with its head. */
const CORKED_BYTES = 1_048_576;

/**
 * Sends an answer with back-pressure.
 * @throws what the body throws; the connection must then be broken off
 */
export async function sendAnswer(
  res: ServerResponse,
  answer: CoreAnswer,
  timing?: CallTiming,
): Promise<void> {
  const { status, headers, body, tags, sequence } = answer;
  const kind = body === null ? 'none' : isWhole(body) ? 'whole' : 'stream';
  const head = toHeader({ status, headers, body: kind, tags, sequence, timing } satisfies AnswerHead);
  const fields = [HEADERS.outcome, 'answer' satisfies Outcome, HEADERS.head, head];
  if (body !== null && !isWhole(body)) {
    res.writeHead(200, fields);
    return sendPieces(res, body);
  }
  const length = body === null ? 0 : body.reduce((sum, piece) => sum + piece.length, 0);
  res.writeHead(200, [...fields, 'content-length', `${length}`]);
  if (body === null || body.length === 1) res.end(body?.[0]);
  else if (length > CORKED_BYTES) await sendPieces(res, body);
  else {
    res.cork();
    for (const piece of body) res.write(piece);
    res.end();
    res.uncork();
  }
}

export function sendError(res: ServerResponse, error: ServiceError, timing?: CallTiming): void {
  const { errorName, message, headers, validationErrors, tags, sequence } = error;
  const body: ErrorBody = { errorName, message, headers, validationErrors, tags, sequence, timing };
  sendJson(res, 200, 'error', body);
}

export function sendJson(res: ServerResponse, status: number, outcome: Outcome, value: unknown): void {
  const text = Buffer.from(JSON.stringify(value));
  res.writeHead(status, [
    'content-type',
    'application/json',
    'content-length',
    `${text.length}`,
    HEADERS.outcome,
    outcome,
  ]);
  res.end(text);
}

async function sendPieces(
  res: ServerResponse,
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<void> {
  for await (const piece of pieces) {
    if (res.destroyed) return;
    if (!res.write(piece)) await drained(res);
  }
  res.end();
}

/** Resolves when the connection takes more, or is closed. */
function drained(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      res.off('drain', done);
      res.off('close', done);
      resolve();
    };
    res.once('drain', done);
    res.once('close', done);
  });
}
