import type { CoreRequest } from './request.ts';

/** The trace of a request: the second part of a `traceparent` (W3C Trace Context, 3.2.2.3). */
export function traceId(traceparent: string | undefined): string | undefined {
  return traceparent?.slice(3, 35);
}

/** The fields that every log line about a request has. */
export function requestLogFields({
  requestId,
  traceparent,
}: Partial<Pick<CoreRequest, 'requestId' | 'traceparent'>>): {
  readonly id: string | undefined;
  readonly trace: string | undefined;
} {
  return { id: requestId, trace: traceId(traceparent) };
}
