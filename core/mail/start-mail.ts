import type { CoreLog } from '../log.ts';
import type { Duty } from '../storage/owner.ts';
import type { Storage } from '../storage/ports.ts';
import { keyExpiry } from './key-expiry.ts';
import { MailSender } from './mail-sender.ts';
import type { MailSource } from './outbox.ts';
import { type MailSettings, openTransport } from './transport.ts';
import { type WebhookAttempt, WebhookMails } from './webhook-mails.ts';

export interface RunningMail {
  /** Call when a mail was queued. */
  queued(): void;
  /** Call when a management key was created or replaced. */
  keysChanged(): void;
  /** Call when an attempt of a webhook was recorded. */
  onAttemptRecorded(attempt: WebhookAttempt): void;
  /** Call when another process may have recorded attempts without a mail about them. */
  checkWebhooks(): void;
  close(): Promise<void>;
}

export interface MailDuties {
  readonly mail: Duty;
  readonly keyExpiry: Duty;
  readonly webhooks: boolean;
}

/** Starts the sender and everything that queues mails. */
export function startMail(
  storage: Pick<Storage, 'sql' | 'write'>,
  settings: MailSettings,
  clock: () => Date,
  log: CoreLog,
  duties: MailDuties,
): RunningMail {
  const sender = new MailSender(
    storage,
    openTransport(settings),
    clock,
    (error, mail, isGivenUp) =>
      log.warn(
        { error, ...(mail && { occasion: mail.name, attempts: mail.attempts + 1 }) },
        isGivenUp
          ? 'A mail could not be sent for three days; it is given up.'
          : 'A mail could not be sent; it is tried again.',
      ),
    duties.mail,
  );
  const queued = () => sender.wake();
  const source = (text: string): MailSource => ({
    storage,
    clock,
    queued,
    failed: (error) => log.error({ error }, text),
  });
  const keys = keyExpiry(
    source('Keys that expire soon could not be searched; tried again in an hour.'),
    duties.keyExpiry,
  );
  const webhooks = new WebhookMails(source('A mail about a webhook could not be queued.'));
  keys.start();
  if (duties.webhooks) webhooks.checkAll();
  sender.start();
  return {
    queued,
    keysChanged: () => keys.wake(),
    onAttemptRecorded: (attempt) => webhooks.onAttemptRecorded(attempt),
    checkWebhooks: () => webhooks.checkAll(),
    async close() {
      await keys.close();
      await webhooks.close();
      await sender.close();
    },
  };
}
