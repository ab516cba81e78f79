import type { DutyName } from '../../config/duty-settings.ts';
import type { RetentionSettings } from '../../config/retention-settings.ts';
import type { Workers } from '../../workers/contract.ts';
import type { AdminToken } from '../access/admin-token.ts';
import type { CommitStream } from '../changes/commit-stream.ts';
import type { DeliveryLimits } from '../delivery/delivery-limits.ts';
import type { ImageSettings } from '../images/limits.ts';
import type { CoreLog } from '../log.ts';
import type { MailSettings } from '../mail/transport.ts';
import type { ProcessState } from '../process-identity.ts';
import type { S3Options } from '../storage/blobs/s3-options.ts';
import type { QuotaSettings } from '../usage/quotas.ts';
import type { DispatchClock } from '../webhooks/dispatch/dispatch-clock.ts';
import type { WebhookSettings } from '../webhooks/webhook-settings.ts';

export interface CoreOptions {
  /** Created when missing. */
  readonly dataDir: string;
  /** URL of PostgreSQL; by default the data are in SQLite, in the data folder. */
  readonly databaseUrl?: string | null;
  /** URL of servers that follow the primary, for plain reads of delivery. */
  readonly databaseReplicaUrl?: string | null;
  /** When the schema is brought up to date; with `command`, an older one is refused. By default at the start. */
  readonly migrations?: 'start' | 'command';
  /** Folder of the asset files, which other cores may use too; by default `files` in the data folder. */
  readonly filesDir?: string | null;
  /** Bucket of the asset files, in place of a folder. */
  readonly filesBucket?: (Omit<S3Options, 'cache'> & { readonly cacheBytes: number }) | null;
  readonly vendor: {
    /** The `SVC` of `X-SVC-…`; answers use the first, requests may use any. */
    readonly header: readonly string[];
    /** The `service` of `application/service`. */
    readonly mediaType: string;
  };
  readonly management?: {
    /** Version 2 accepts a change of an item without `sitemap_locations`; they stay unchanged. */
    readonly sitemapLocationsOptional?: boolean;
    /** Largest JSON body, of the admin API too. */
    readonly jsonBytes?: number;
  };
  /** By default, content that breaks rules of its type cannot be published. */
  readonly publishing?: { readonly allowInvalid: boolean };
  readonly log: CoreLog;
  /** What the admin API lists of this process; by default it does not list it. */
  readonly process?: () => ProcessState;
  /** How long history is kept; by default forever. */
  readonly retention?: Partial<RetentionSettings>;
  /** What carries commits to gateways beside links; by default nothing. */
  readonly commitStream?: CommitStream | undefined;
  readonly adminToken?: AdminToken;
  /** What it does beside its answers to requests; by default everything. */
  readonly duties?: readonly DutyName[];
  /** A command works on the data for a moment: it has no duties, and its admin token is not that of the installation. */
  readonly isCommand?: boolean;
  /** Limits of one call of delivery or preview; by default none. */
  readonly delivery?: DeliveryLimits;
  /** Calls that projects may make; by default any number. */
  readonly quotas?: QuotaSettings;
  /** How mails are sent; by default into files of the data folder. */
  readonly mail?: Omit<MailSettings, 'folder'> & { readonly folder: string | null };
  readonly images?: Partial<ImageSettings>;
  /** Makes images and signs large batches; without workers, new images are answered with 503. */
  readonly workers?: Workers;
  /** Where notifications may be sent; by default only to public addresses. */
  readonly webhooks?: Partial<WebhookSettings>;
  /** The clock of webhooks; by default the system's. */
  readonly dispatchClock?: DispatchClock;
  readonly now?: () => Date;
  readonly newId?: () => string;
}
