/**
 * Everything that gateway and plugins may import from core.
 *
 * Requests are plain data and answers are bytes, so that the same core answers in process (role `all`) or over HTTP (role
 * `core`).
 */

export { KEY_DAYS_LIMIT, KEY_SLOTS, type KeyKind } from './access/key-kinds.ts';
export type { KeyFacts } from './access/keys.ts';
export type { ProjectFacts } from './access/projects.ts';
export { tokenHash } from './access/token-hash.ts';
export { type CallTiming, newCallTiming, roundedMilliseconds, timingLogFields } from './call-timing.ts';
export { type Change, type ChangeFeed, FEED_LOST_MS, type FeedPosition } from './changes/change-feed.ts';
/** For event streams of the console. */
export type { ChangedObject, ChangesPage } from './changes/changed-objects.ts';
/** For cores and gateways of several machines: what carries commits beside links. */
export type { CommitStream, CommitStreamReader, StreamedCommit } from './changes/commit-stream.ts';
export type { ReportRequest, ReportSource } from './changes/gateway-reports.ts';
export type { Core } from './compose/core.ts';
export { cookieAttributes, cookieName, sessionCookieName } from './console/console-cookie.ts';
export type { ErrorName } from './errors.ts';
export { isErrorName, ServiceError } from './errors.ts';
/** For caches of delivery answers: whether a parameter of a URL decides about the answer. */
export { isDeliveryParameter } from './http/delivery-parameters.ts';
export { matches as matchesEntityTag } from './http/entity-tag.ts';
export { type HealthPath, type HealthReport, healthAnswer, remembered } from './http/health-report.ts';
export { type CoreAnswer, type CoreRequest, isWhole, type Principal, type Surface } from './http/request.ts';
/** For servers of `node:http`. */
export { limitRequestTimes } from './http/request-timeouts.ts';
export { newTraceparent, traceOf } from './http/trace.ts';
/**
 * For caches of asset answers: the parts of a URL's query and of `Accept` that the answer depends on. Caches must pass on
 * `Vary` of such an answer; a part (206) has no tags.
 */
export { imageQueryKey } from './images/image-query-key.ts';
export { LastingFailure } from './lasting-failure.ts';
export type { ProcessIdentity, ProcessReport, ProcessState } from './process-identity.ts';
export { SlowCallLog } from './slow-call-log.ts';
export type { CancelSignal } from './turns/cancel-signal.ts';
export { aborted, Cancellation } from './turns/cancellation.ts';
/** For caches: one fetch of theirs for all requests that wait for the same answer. */
export { CollapsedFetch } from './turns/collapsed-fetch.ts';
export {
  COUNTED_SURFACES,
  type CountedSurface,
  type QuotaState,
  type UsageBatch,
  type UsageCount,
} from './usage/counts.ts';
