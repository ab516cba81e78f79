import type { AdminToken } from './access/admin-token.ts';
import type { Installation } from './access/installation.ts';
import type { KeyUse } from './access/key-use.ts';
import type { InProjectOptions } from './in-project.ts';
import type { ProjectView } from './project-view.ts';
import type { Session } from './session.ts';
import type { Blobs } from './storage/blobs/blobs.ts';
import type { Reader, Storage } from './storage/ports.ts';
import type { Usage } from './usage/usage.ts';
import type { WebhookDesk } from './webhooks/desk/desk.ts';

/** What the command line and the composition roots may do beyond answering requests. */
export interface Operations {
  /** Runs operations on a project in one durable transaction. */
  inProject<T>(
    project: string,
    actor: string | null,
    work: (session: Session) => Promise<T>,
    options?: InProjectOptions,
  ): Promise<T>;
  /** Reads a project over one snapshot; waits for no writer. */
  read<T>(project: string, work: (view: ProjectView) => Promise<T>): Promise<T>;
  /** The same for projects, users and keys; done once every gateway has heard of it. */
  installation<T>(actor: string | null, work: (installation: Installation) => Promise<T>): Promise<T>;
  readonly storage: Storage;
  /** For reads that somebody waits for. */
  readonly reader: Reader;
  readonly blobs: Blobs;
  readonly keyUse: Pick<KeyUse, 'pending'>;
  readonly adminToken: AdminToken;
  readonly usage: Pick<Usage, 'quotas' | 'today'>;
  readonly webhooks: Pick<WebhookDesk, 'byHand' | 'replays' | 'overlapMs'>;
  /** Resolves when no compiled document is stale. */
  settled(): Promise<void>;
}
