import type { ServerResponse } from 'node:http';
import type { CallTiming } from '../../call-timing.ts';
import type { ServiceError } from '../../errors.ts';
import type { CoreAnswer } from '../../http/request.ts';
import type { CancelSignal } from '../../turns/cancel-signal.ts';
import { type AnswerHead, HEADERS, type Outcome, toHeader } from '../protocol/wire.ts';

/**
 * Sends an answer with back-pressure. A body that fails breaks the connection off, so that the gateway never takes it for a
 * complete one.
 */
export async function sendAnswer(
  res: ServerResponse,
  { body, ...answer }: CoreAnswer,
  disconnected: CancelSignal,
  timing?: CallTiming,
): Promise<void> {
  const kind = body === null ? 'none' : isWhole(body) ? 'whole' : 'stream';
  const head: AnswerHead = { ...answer, body: kind, timing };
  res.statusCode = 200;
  res.setHeader(HEADERS.outcome, 'answer' satisfies Outcome);
  res.setHeader(HEADERS.head, toHeader(head));
  if (body === null) {
    res.end();
    return;
  }
  if (isWhole(body)) {
    res.setHeader(
      'content-length',
      body.reduce((sum, piece) => sum + piece.length, 0),
    );
    if (body.length === 1) {
      res.end(body[0]);
      return;
    }
  }
  try {
    for await (const piece of body) {
      if (disconnected.aborted) return;
      if (!res.write(piece)) await drained(res);
    }
    res.end();
  } catch (error) {
    res.destroy();
    if (!disconnected.aborted) throw error;
  }
}

export function sendError(res: ServerResponse, error: ServiceError, timing?: CallTiming): void {
  const { errorName, message, headers, validationErrors, tags, sequence } = error;
  sendJson(res, 200, 'error', { errorName, message, headers, validationErrors, tags, sequence, timing });
}

export function sendJson(res: ServerResponse, status: number, outcome: Outcome, value: unknown): void {
  const text = Buffer.from(JSON.stringify(value));
  res.writeHead(status, {
    'content-type': 'application/json',
    'content-length': text.length,
    [HEADERS.outcome]: outcome,
  });
  res.end(text);
}

function isWhole(body: CoreAnswer['body']): body is readonly Uint8Array[] {
  return Array.isArray(body);
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
