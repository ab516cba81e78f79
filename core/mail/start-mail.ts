import type { CoreLog } from '../log.ts';
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
  const source = (text: string): MailSource => ({
    storage,
    clock,
    queued,
    failed: (error) => log.error({ err: error }, text),
  });
  const keys = keyExpiry(source('Keys that expire soon could not be searched; tried again in an hour.'));
  const webhooks = new WebhookMails(source('A mail about a webhook could not be queued.'));
  keys.wake();
  webhooks.start();
  sender.wake();
  return {
    queued,
    keysChanged: () => keys.wake(),
    onAttemptRecorded: (attempt) => webhooks.onAttemptRecorded(attempt),
    async close() {
      await keys.close();
      await webhooks.close();
      await sender.close();
    },
  };
}
