import type { CoreLog } from '../log.ts';
import type { Storage } from '../storage/ports.ts';
import { KeyExpiry } from './key-expiry.ts';
import { MailSender } from './mail-sender.ts';
import { type MailSettings, openTransport } from './transport.ts';
import { type WebhookAttempt, WebhookMails } from './webhook-mails.ts';

export interface RunningMail {
  /** Call when a mail was queued. */
  queued(): void;
  /** Call when a management key was created or replaced. */
  keysChanged(): void;
  /** Call when an attempt of a webhook was recorded. */
  onAttemptRecorded(attempt: WebhookAttempt): void;
  close(): Promise<void>;
}

/** Starts the sender and everything that queues mails. */
export function startMail(
  storage: Pick<Storage, 'sql' | 'write'>,
  settings: MailSettings,
  clock: () => Date,
  log: CoreLog,
): RunningMail {
  const sender = new MailSender(storage, openTransport(settings), clock, (error, mail) =>
    log.warn(
      { err: error, ...(mail && { occasion: mail.name, attempts: mail.attempts + 1 }) },
      'A mail could not be sent; it is tried again.',
    ),
  );
  const queued = () => sender.wake();
  const keys = new KeyExpiry(storage, clock, queued, (error) =>
    log.error({ err: error }, 'Keys that expire soon could not be looked for; tried again in an hour.'),
  );
  const webhooks = new WebhookMails(storage, clock, queued, (error) =>
    log.error({ err: error }, 'A mail about a webhook could not be queued.'),
  );
  keys.start();
  webhooks.start();
  sender.wake();
  return {
    queued,
    keysChanged: () => keys.look(),
    onAttemptRecorded: (attempt) => webhooks.onAttemptRecorded(attempt),
    async close() {
      await keys.close();
      await webhooks.close();
      await sender.close();
    },
  };
}
