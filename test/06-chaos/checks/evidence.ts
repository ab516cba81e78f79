import type { DeliveryRecord } from '../../support/webhooks/delivery-record.ts';
import type { Images } from '../clients/images.ts';
import type { Import } from '../clients/imports.ts';
import type { Read } from '../clients/read-items.ts';
import type { KeyUse } from '../clients/replaced-keys.ts';
import type { Sent } from '../clients/sent.ts';
import type { WrittenItem } from '../clients/writers.ts';
import type { FaultTimes } from '../faults/fault-times.ts';

/** What clients and receivers recorded of a schedule. */
export interface Evidence {
  readonly projects: readonly {
    readonly id: string;
    readonly webhooks: readonly { id: string; path: string }[];
  }[];
  readonly items: readonly WrittenItem[];
  readonly sent: readonly Sent[];
  readonly reads: readonly Read[];
  readonly images: Images;
  readonly keys: readonly KeyUse[];
  readonly imports: readonly Import[];
  readonly deliveries: DeliveryRecord;
  readonly faults: FaultTimes;
  /** Lines of all logs with the text. */
  readonly linesWith: (text: string) => string[];
  /** Calls of the limited key. */
  readonly limited: { readonly path: string; readonly second: number; readonly gateways: number };
}
