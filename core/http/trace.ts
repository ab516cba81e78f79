/** The header `traceparent` (W3C Trace Context, 3.2) and the trace that it names. */
import type { CoreRequest } from './request.ts';

/** @param traceparent of version 00 */
export function traceOf(traceparent: string): string {
  return traceparent.slice(3, 35);
}

/** Begins a trace; it is not sampled, because there is no collector of spans. */
export function newTraceparent(trace: string): string {
  return `00-${trace}-${trace.slice(16)}-00`;
}

/** The fields that every log line about a request has. */
export function requestLogFields({
  requestId,
  traceparent,
}: Pick<CoreRequest, 'requestId' | 'traceparent'>): {
  readonly id: string;
  readonly trace: string | undefined;
} {
  return { id: requestId, trace: traceparent === undefined ? undefined : traceOf(traceparent) };
}
