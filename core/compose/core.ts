import type { KeyFacts } from '../access/keys.ts';
import type { ProjectFacts } from '../access/projects.ts';
import type { ChangeFeed } from '../changes/change-feed.ts';
import type { ReportSource } from '../changes/gateway-reports.ts';
import type { HealthReport } from '../http/health-report.ts';
import type { CoreAnswer, CoreRequest } from '../http/request.ts';
import type { CancelSignal } from '../turns/cancel-signal.ts';
import type { QuotaState, UsageBatch } from '../usage/counts.ts';

export interface Core {
  /** @throws ServiceError for every failure that a caller may see */
  handle(request: CoreRequest): Promise<CoreAnswer>;
  readonly access: {
    /** Undefined for an archived or unknown project. */
    project(id: string): Promise<ProjectFacts | undefined>;
    /**
     * Finds a key, even a revoked or expired one.
     * @param hash see `tokenHash`
     */
    key(hash: string): Promise<KeyFacts | undefined>;
    /** @param hash see `tokenHash` */
    isAdminToken(hash: string): Promise<boolean>;
    /** Records that a key was accepted, coarsely and outside the change log. */
    used(keyId: string): void;
  };
  readonly usage: {
    /**
     * Adds calls to the counts, all or none; drops those of unknown projects, and a batch that is not newer than the last
     * one of its source.
     * @param signal the caller does not wait any more and sends the batch again: it is not added then, unless it is already
     */
    add(batch: UsageBatch, signal?: CancelSignal): Promise<void>;
    /** The state of a project's quotas; empty without quotas. */
    quotas(project: string): Promise<readonly QuotaState[]>;
  };
  readonly feed: ChangeFeed;
  /** The gateway says what it answers when an operator asks about it. */
  onReport?(source: ReportSource): void;
  /** OpenAPI 3.1 document of all surfaces, without `servers`. */
  openapi(): Promise<Record<string, unknown>>;
  health(): Promise<HealthReport>;
  close(): Promise<void>;
}
