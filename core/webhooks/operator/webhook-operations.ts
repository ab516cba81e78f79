import type { Duty } from '../../storage/owner.ts';
import type { Storage } from '../../storage/ports.ts';
import type { WebhookSettings } from '../webhook-settings.ts';
import { LogRetention } from './log-retention.ts';
import { Replays } from './replays.ts';
import type { ManualSending } from './send-manually.ts';

/** Manual operations of webhooks, and the retention of the delivery log. */
export class WebhookOperations {
  readonly manualSending: ManualSending;
  readonly replays: Replays;
  readonly overlapMs: number;
  readonly #retention: LogRetention;

  constructor(options: {
    readonly storage: Storage;
    readonly settings: Pick<WebhookSettings, 'secretOverlapHours' | 'logDays'>;
    readonly manualSending: ManualSending;
    readonly failed: (error: unknown) => void;
    /** Removes old entries of the delivery log. */
    readonly retention: Duty;
  }) {
    const { storage, settings, manualSending, failed, retention } = options;
    this.manualSending = manualSending;
    this.replays = new Replays(storage, manualSending, failed);
    this.overlapMs = settings.secretOverlapHours * 3_600_000;
    this.#retention = new LogRetention(
      { storage, clock: manualSending.now, failed, duty: retention },
      settings.logDays,
    );
  }

  /** Removes old log entries now and once a day. */
  start(): void {
    this.#retention.start();
  }

  async close(): Promise<void> {
    await this.#retention.close();
    await this.replays.close();
  }
}
