import type { CallTiming } from '../../call-timing.ts';
import { isErrorName, ServiceError } from '../../errors.ts';
import type { CoreAnswer } from '../../http/request.ts';
import type { AnswerHead, ErrorBody } from '../protocol/wire.ts';
import type { Reply } from './pending-call.ts';

/**
 * @param timing gets what core reports
 * @throws the `ServiceError` of core, or what broke the answer off
 */
export async function readAnswer(reply: Reply, timing: CallTiming | undefined): Promise<CoreAnswer> {
  if (reply.outcome === 'error') throw await errorOf(reply, timing);
  const { body: kind, timing: taken, ...answer } = JSON.parse(reply.head ?? '') as AnswerHead;
  if (timing) Object.assign(timing, taken);
  if (kind === 'stream') return { body: reply.body, ...answer };
  const pieces = await reply.body.whole();
  return { body: kind === 'none' ? null : pieces, ...answer };
}

/** @throws the `ServiceError` of core, or what broke the answer off */
export async function readJson(reply: Reply): Promise<unknown> {
  if (reply.outcome === 'error') throw await errorOf(reply);
  return JSON.parse(await textOf(reply));
}

async function errorOf(reply: Reply, timing?: CallTiming): Promise<ServiceError> {
  const { errorName, message, timing: taken, ...more } = JSON.parse(await textOf(reply)) as ErrorBody;
  if (timing) Object.assign(timing, taken);
  // A newer core may know more errors.
  return new ServiceError(isErrorName(errorName) ? errorName : 'internal', message, more);
}

async function textOf({ body }: Reply): Promise<string> {
  return Buffer.concat(await body.whole()).toString();
}
