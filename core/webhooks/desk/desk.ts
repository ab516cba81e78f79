import type { Storage } from '../../storage/ports.ts';
import type { ByHand } from './by-hand.ts';
import { LogRetention } from './log-retention.ts';
import { Replays } from './replays.ts';

export interface WebhookDeskSettings {
  /** For so long after a rotation the old secret signs as well, hours. */
  readonly secretOverlapHours: number;
  /** Days that delivered and dropped notifications are kept with their attempts. */
  readonly logDays: number;
}

export const DEFAULT_DESK_SETTINGS: WebhookDeskSettings = { secretOverlapHours: 24, logDays: 30 };

/** What people do with webhooks beside registering them, and how long the log of them is kept. */
export class WebhookDesk {
  readonly byHand: ByHand;
  readonly replays: Replays;
  readonly overlapMs: number;
  readonly #retention: LogRetention;

  constructor(options: {
    readonly storage: Storage;
    readonly settings: WebhookDeskSettings;
    readonly byHand: ByHand;
    readonly failed: (error: unknown) => void;
  }) {
    const { storage, settings, byHand, failed } = options;
    this.byHand = byHand;
    this.replays = new Replays(storage, byHand, failed);
    this.overlapMs = settings.secretOverlapHours * 3_600_000;
    this.#retention = new LogRetention(storage, settings.logDays, byHand.now, failed);
  }

  /** Clears the log now and once a day. */
  start(): void {
    this.#retention.start();
  }

  async close(): Promise<void> {
    await this.#retention.close();
    await this.replays.close();
  }
}
