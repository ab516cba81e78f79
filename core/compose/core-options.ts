import type { Workers } from '../../workers/contract.ts';
import type { AdminToken } from '../access/admin-token.ts';
import type { RetentionSettings } from '../changes/retention.ts';
import type { DeliveryCaps } from '../delivery/caps.ts';
import type { ImageSettings } from '../images/limits.ts';
import type { CoreLog } from '../log.ts';
import type { MailSettings } from '../mail/transport.ts';
import type { QuotaSettings } from '../usage/quotas.ts';
import type { DispatchClock } from '../webhooks/dispatch/dispatch-clock.ts';
import type { WebhookSettings } from '../webhooks/webhook-settings.ts';

export interface CoreOptions {
  /** Made when missing. */
  readonly dataDir: string;
  readonly vendor: {
    /** The `SVC` of `X-SVC-…`; the first is used in answers, all are understood. */
    readonly header: readonly string[];
    /** The `service` of `application/service`. */
    readonly mediaType: string;
  };
  readonly management?: {
    /** Version 2 takes a change of an item without `sitemap_locations`; the item stays where it is. */
    readonly sitemapLocationsOptional?: boolean;
    /** Largest JSON body, of the admin API too. */
    readonly jsonBytes?: number;
  };
  /** Content that breaks rules of its type is refused unless told. */
  readonly publishing?: { readonly allowInvalid: boolean };
  readonly log: CoreLog;
  /** How long the past is kept; for good unless told. */
  readonly retention?: RetentionSettings;
  readonly adminToken?: AdminToken;
  /** What one call of delivery or preview may ask for; anything unless told. */
  readonly delivery?: DeliveryCaps;
  /** Calls that projects may make; as many as come unless told. */
  readonly quotas?: QuotaSettings;
  /** How mails leave; into files of the data folder unless told. */
  readonly mail?: Omit<MailSettings, 'folder'> & { readonly folder: string | null };
  readonly images?: Partial<ImageSettings>;
  /** Makes pictures and signs large batches; without it pictures that are not there yet are answered with 503. */
  readonly workers?: Workers;
  /** Where notifications may go: only to the public internet unless told. */
  readonly webhooks?: Partial<WebhookSettings>;
  /** What webhooks wait by; the system's clocks unless given. */
  readonly dispatchClock?: DispatchClock;
  readonly now?: () => Date;
  readonly newId?: () => string;
}
