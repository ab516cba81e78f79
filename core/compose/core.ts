import type { KeyFacts } from '../access/keys.ts';
import type { ProjectFacts } from '../access/projects.ts';
import type { ChangeFeed } from '../changes/change-feed.ts';
import type { CoreAnswer, CoreRequest } from '../http/request.ts';
import type { QuotaState, UsageCount } from '../usage/counts.ts';

export interface HealthReport {
  readonly ok: boolean;
  readonly parts: Readonly<Record<string, { readonly ok: boolean; readonly detail: string }>>;
}

export interface Core {
  /** Answers a request. Throws `ServiceError` for every failure a caller may see. */
  handle(request: CoreRequest): Promise<CoreAnswer>;
  readonly access: {
    /** An archived or unknown project is undefined. */
    project(id: string): Promise<ProjectFacts | undefined>;
    /** Looks a presented token up by its hash; revoked and expired keys are found too. */
    key(token: string): Promise<KeyFacts | undefined>;
    isAdminToken(token: string): boolean;
    /** The key was accepted just now; kept coarsely and outside the change log. */
    used(keyId: string): void;
  };
  readonly usage: {
    /** Adds calls to the counts, all or none. Those of unknown projects are dropped. */
    add(counts: readonly UsageCount[]): Promise<void>;
    /** Where the quotas of a project stand; empty where it has none. */
    quotas(project: string): Promise<readonly QuotaState[]>;
  };
  readonly feed: ChangeFeed;
  /** OpenAPI 3.1 document of every surface core answers, without `servers`. */
  openapi(): Record<string, unknown>;
  health(): Promise<HealthReport>;
  close(): Promise<void>;
}
